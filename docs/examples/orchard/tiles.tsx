<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.8" tiledversion="1.8.2" name="tiles" tilewidth="16" tileheight="16" tilecount="9" columns="9">
 <image source="tiles.png" width="144" height="16"/>
 <tile id="0" type="grass"/>
 <tile id="1" type="street"/>
 <tile id="2" type="water"/>
 <tile id="3" type="trees"/>
 <tile id="4" type="wall"/>
 <tile id="5" type="floor"/>
 <tile id="6" type="thing">
  <properties>
   <property name="name" value="bed"/>
  </properties>
 </tile>
 <tile id="7" type="thing">
  <properties>
   <property name="name" value="table"/>
  </properties>
 </tile>
 <tile id="8" type="thing">
  <properties>
   <property name="name" value="stage"/>
  </properties>
 </tile>
</tileset>
