// The word cloud as a picture: drawn once more, in the colours of the page as it is now.

const drawing = document.getElementById("cloud");
const SCALE = 2;

function picture() {
  const box = drawing.viewBox.baseVal;
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(box.width * SCALE);
  canvas.height = Math.ceil(box.height * SCALE);
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.scale(SCALE, SCALE);
  pen.translate(-box.x, -box.y);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const word of drawing.querySelectorAll("text")) {
    const style = getComputedStyle(word);
    pen.fillStyle = style.fill;
    pen.font = `${style.fontWeight} ${word.getAttribute("font-size")}px ${style.fontFamily}`;
    pen.save();
    pen.translate(Number(word.getAttribute("x")), Number(word.getAttribute("y")));
    pen.scale(Number(word.getAttribute("textLength")) / pen.measureText(word.textContent).width, 1);
    pen.fillText(word.textContent, 0, 0);
    pen.restore();
  }
  return canvas;
}

document.getElementById("png")?.addEventListener("click", (event) => {
  const link = document.createElement("a");
  link.href = picture().toDataURL("image/png");
  link.download = event.currentTarget.dataset.name;
  link.click();
});
