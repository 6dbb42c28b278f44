-- A store of version 1, as the sociolab of that version wrote it. It is never changed.

PRAGMA application_id = 1399811169;
PRAGMA user_version = 2102115679;
CREATE TABLE salt (                  -- one row: what makes hashes of this store its own
    value BLOB NOT NULL DEFAULT (randomblob(16)),
    sum INTEGER AS (checksum(value)) STORED
);
INSERT INTO salt DEFAULT VALUES;

CREATE TABLE runs (
    pk INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    world TEXT NOT NULL,
    settings TEXT NOT NULL,          -- JSON
    declared TEXT NOT NULL,          -- JSON, see core/metrics.py
    keeps TEXT NOT NULL DEFAULT '',  -- the work whose replies it holds, as "audit"; of episodes: ''
    created REAL NOT NULL,           -- seconds since 1970, UTC
    seconds REAL NOT NULL DEFAULT 0, -- wall time, all resumed parts together
    sum INTEGER AS (checksum(name, world, settings, declared, keeps, created, seconds)) STORED
);

CREATE TABLE tasks (                 -- the task records of a run, each once
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    id TEXT NOT NULL,
    seats TEXT NOT NULL,             -- JSON list
    cluster TEXT NOT NULL,
    content TEXT NOT NULL,           -- the world's own record
    tags TEXT NOT NULL,              -- JSON list
    roles TEXT NOT NULL,             -- JSON object: what seats are
    sum INTEGER AS (checksum(run, id, seats, cluster, content, tags, roles)) STORED
);
CREATE INDEX tasks_by_run ON tasks (run);

CREATE TABLE agents (                -- who plays in a run, each once; see core/episode.py
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    label TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    settings TEXT NOT NULL,
    temperature REAL,                -- NULL: nobody chose one
    code TEXT,                       -- NULL: of no Python class
    sum INTEGER AS (checksum(run, label, kind, name, endpoint, settings, temperature, code)) STORED
);
CREATE INDEX agents_by_run ON agents (run);

CREATE TABLE trials (                -- the plan: pk order is plan order
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    id TEXT NOT NULL,
    task INTEGER NOT NULL,           -- tasks.pk; a foreign key would only slow deletion
    body TEXT NOT NULL,              -- the trial without its task, its agents by agents.pk
    status TEXT NOT NULL DEFAULT 'planned'
        CHECK (status IN ('planned', 'playing', 'played', 'failed')),
    cause TEXT,
    problem TEXT NOT NULL DEFAULT '',
    sum INTEGER AS (checksum(run, id, task, body, status, cause, problem)) STORED,
    UNIQUE (run, id)
);
CREATE INDEX trials_by_status ON trials (run, status);

CREATE TABLE events (                -- n counts from 0 in each trial
    trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
    n INTEGER NOT NULL,
    body TEXT NOT NULL,
    sum INTEGER AS (checksum(trial, n, body)) STORED,
    PRIMARY KEY (trial, n)
) WITHOUT ROWID;

CREATE TABLE schemas (               -- the reply schemas of a run, each once
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    sum INTEGER AS (checksum(run, name, text)) STORED
);
CREATE INDEX schemas_by_run ON schemas (run);

CREATE TABLE calls (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial TEXT NOT NULL,             -- as the caller named it: a judging has a name of its own
    role TEXT NOT NULL,
    seat TEXT NOT NULL,
    turn INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    model TEXT NOT NULL,
    tries INTEGER NOT NULL,
    seconds REAL NOT NULL,
    at REAL NOT NULL,                -- when it was stored, in seconds since 1970, UTC
    key TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,      -- whether the tokens, and so usd, are an estimate of ours
    usd REAL,                        -- NULL: no price known
    finish TEXT NOT NULL,
    fault TEXT NOT NULL,             -- what was wrong with a reply that was used; '': nothing
    served_model TEXT NOT NULL,      -- as the server returned it; '': it did not
    fingerprint TEXT NOT NULL,
    left_out TEXT NOT NULL,          -- options that were not sent, with commas between
    cap INTEGER,                     -- the token limit that was sent
    reasoned INTEGER NOT NULL,
    prompt_bytes INTEGER NOT NULL,   -- UTF-8, the schema included
    base INTEGER,                    -- calls.pk of the prompt that this one extends
    schema INTEGER,                  -- schemas.pk
    hash BLOB NOT NULL,              -- of the rendered messages and the schema
    prompt BLOB NOT NULL,            -- see calls.py
    reply TEXT NOT NULL,
    sum INTEGER AS (checksum(
        run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at,
        key, prompt_tokens, completion_tokens, cached_tokens, estimated, usd, finish,
        fault, served_model, fingerprint, left_out, cap, reasoned, prompt_bytes,
        base, schema, hash, prompt, reply
    )) STORED
);
CREATE UNIQUE INDEX calls_by_key ON calls (run, key);
CREATE INDEX calls_by_trial ON calls (run, trial);
CREATE INDEX calls_by_run ON calls (run); -- in the order of the table: see calls.py

CREATE TABLE call_failures (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial TEXT NOT NULL,
    role TEXT NOT NULL,
    seat TEXT NOT NULL,
    turn INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    model TEXT NOT NULL,
    tries INTEGER NOT NULL,
    seconds REAL NOT NULL,
    at REAL NOT NULL,
    cause TEXT NOT NULL,
    problem TEXT NOT NULL,
    sum INTEGER AS (checksum(
        run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at,
        cause, problem
    )) STORED
);
CREATE INDEX call_failures_by_trial ON call_failures (run, trial);

CREATE TABLE attempts (              -- those that brought no reply
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial TEXT NOT NULL,
    role TEXT NOT NULL,
    seat TEXT NOT NULL,
    turn INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,        -- of the player; see number
    idx INTEGER NOT NULL,
    model TEXT NOT NULL,
    number INTEGER NOT NULL,         -- of the request, from 1 in each call
    seconds REAL NOT NULL,
    at REAL NOT NULL,
    cause TEXT NOT NULL,
    billed TEXT NOT NULL CHECK (billed IN ('told', 'estimated', 'possible', 'no')),
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    usd REAL,                        -- what is booked; NULL: no price known
    sum INTEGER AS (checksum(
        run, trial, role, seat, turn, name, attempt, idx, model, number, seconds, at,
        cause, billed, prompt_tokens, completion_tokens, cached_tokens, usd
    )) STORED
);
CREATE INDEX attempts_by_trial ON attempts (run, trial);

CREATE VIEW ledger (                 -- each attempt; of one with a reply, seconds are the call's
    run, trial, role, seat, turn, name, attempt, idx, model, number, seconds, at,
    cause, billed, prompt_tokens, completion_tokens, cached_tokens, usd
) AS
    SELECT run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at,
        NULL, CASE WHEN estimated THEN 'estimated' ELSE 'told' END,
        prompt_tokens, completion_tokens, cached_tokens, usd
    FROM calls
    UNION ALL
    SELECT run, trial, role, seat, turn, name, attempt, idx, model, number, seconds, at,
        cause, billed, prompt_tokens, completion_tokens, cached_tokens, usd
    FROM attempts;

CREATE TABLE judges (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    label TEXT NOT NULL,             -- made of role, sheet and name, to sort by
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    sheet TEXT NOT NULL,             -- '': none
    method TEXT NOT NULL,
    settings TEXT NOT NULL,
    code TEXT NOT NULL,              -- '': no Python class
    standing TEXT NOT NULL,          -- '': no set of prompts
    prompts TEXT NOT NULL,           -- the hash of their texts
    sum INTEGER AS (checksum(
        run, label, role, name, sheet, method, settings, code, standing, prompts
    )) STORED,
    UNIQUE (run, role, name, sheet, method, settings, code, standing, prompts)
);

CREATE TABLE measures (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    whole INTEGER NOT NULL,
    title TEXT NOT NULL,
    sum INTEGER AS (checksum(run, name, low, high, whole, title)) STORED,
    UNIQUE (run, name, low, high, whole, title)
);

CREATE TABLE judgings (              -- one judge, once, on an episode, a cell or the run
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial INTEGER REFERENCES trials ON DELETE CASCADE,  -- NULL: a cell, or the run
    cell TEXT NOT NULL,              -- JSON with sorted keys; '': no cell
    judge INTEGER NOT NULL,          -- judges.pk
    number INTEGER NOT NULL,         -- of repeated judgings, from 0
    sum INTEGER AS (checksum(run, trial, cell, judge, number)) STORED
);
CREATE UNIQUE INDEX judgings_once
    ON judgings (run, ifnull(trial, 0), cell, judge, number);
CREATE INDEX judgings_by_trial ON judgings (trial);

CREATE TABLE verdicts (
    judging INTEGER NOT NULL REFERENCES judgings ON DELETE CASCADE,
    n INTEGER NOT NULL,
    kind TEXT NOT NULL,              -- score, failure or unscored
    measure INTEGER NOT NULL,        -- measures.pk
    seat TEXT,                       -- NULL: the whole episode
    value REAL,                      -- of a score
    text TEXT NOT NULL,              -- a score's reason, a failure's problem, or why not
    cause TEXT,                      -- of a failure, as are raw and attempts
    raw TEXT,
    attempts INTEGER,
    unscored TEXT,                   -- of an unscored one: why (core.score.NotKnown)
    low REAL,                        -- and between what its value lies; NULL: the measure's range
    high REAL,
    rater TEXT,                      -- of a rating, as are seconds and rated; NULL: not known
    seconds REAL,
    rated TEXT,                      -- when, in UTC, as ISO 8601
    sum INTEGER AS (checksum(
        judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored,
        low, high, rater, seconds, rated
    )) STORED,
    PRIMARY KEY (judging, n)
) WITHOUT ROWID;

CREATE TABLE attachments (           -- pieces; pk order is the order of writing
    pk INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
    name TEXT NOT NULL,
    packed INTEGER NOT NULL,         -- whether data is compressed
    data BLOB NOT NULL,
    sum INTEGER AS (checksum(trial, name, packed, data)) STORED
);
CREATE INDEX attachments_by_name ON attachments (trial, name);

CREATE TABLE looks (                 -- at what size a comparison of two runs was looked at
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    about TEXT NOT NULL,             -- JSON: both agents, the judge, how plays are matched
    pairs INTEGER NOT NULL,
    sum INTEGER AS (checksum(run, other, about, pairs)) STORED,
    UNIQUE (run, other, about, pairs)
);
CREATE INDEX looks_by_other ON looks (other);

CREATE TABLE studies (
    pk INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    run INTEGER REFERENCES runs ON DELETE CASCADE,  -- NULL: of no run
    settings TEXT NOT NULL,          -- JSON
    created REAL NOT NULL,           -- seconds since 1970, UTC, as are all times here
    open INTEGER NOT NULL DEFAULT 0,
    sum INTEGER AS (checksum(name, kind, run, settings, created, open)) STORED
);
CREATE INDEX studies_by_run ON studies (run);

CREATE TABLE participants (
    pk INTEGER PRIMARY KEY,
    study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
    id TEXT NOT NULL,                -- a pseudonym
    link BLOB UNIQUE,                -- SHA-256 of the secret in the link
    session BLOB UNIQUE,             -- SHA-256 of the browser's secret; NULL: link not used
    state TEXT NOT NULL,
    created REAL NOT NULL,
    arrived REAL,
    consented REAL,
    finished REAL,
    sum INTEGER AS (checksum(
        study, id, link, session, state, created, arrived, consented, finished
    )) STORED,
    UNIQUE (study, id)
);

CREATE TABLE assignments (           -- what a participant was given to do
    pk INTEGER PRIMARY KEY,
    participant INTEGER NOT NULL REFERENCES participants ON DELETE CASCADE,
    item TEXT NOT NULL,              -- a trial, task or scenario, by its id
    seat TEXT NOT NULL,              -- '': none in particular
    state TEXT NOT NULL,
    began REAL NOT NULL,
    ended REAL,
    sum INTEGER AS (checksum(participant, item, seat, state, began, ended)) STORED,
    UNIQUE (participant, item, seat)
);
CREATE INDEX assignments_by_item ON assignments (item);

CREATE TABLE answers (               -- what a participant said, by what was asked
    participant INTEGER NOT NULL REFERENCES participants ON DELETE CASCADE,
    item TEXT NOT NULL,              -- '': of the whole study
    name TEXT NOT NULL,
    value TEXT NOT NULL,             -- JSON
    at REAL NOT NULL,
    sum INTEGER AS (checksum(participant, item, name, value, at)) STORED,
    PRIMARY KEY (participant, item, name)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE episode_words   -- rowid: trials.pk
    USING fts5 (body, tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER words_go_with_trial AFTER DELETE ON trials BEGIN
    DELETE FROM episode_words WHERE rowid = old.pk;
END;

UPDATE salt SET value = X'4F7F75A68213E7EBD6B7F6190AC9A66B';
INSERT INTO runs (pk, name, world, settings, declared, keeps, created, seconds)
VALUES (1, 'first', 'sotopia', '{"data": ["sociolab-sotopia", "2.0.0", "35d809e9b5391fc4"], "data_source": null, "agents": [["scripted", "96d1f267425c84db"]], "partner": null, "judges": [["outcome", "ae51e75cad3d2616", {"method": "formula", "role": "judge", "model": "outcome", "sheet": "", "code": null, "prompts": null}], ["reported", "8ea8441c810bf319", {"method": "reported", "role": "judge", "model": "reported", "sheet": "", "code": null, "prompts": null}], ["heuristic", "e894d5d2a9d9a8d8", {"method": "heuristic", "role": "judge", "model": "heuristic", "sheet": "", "code": null, "prompts": null}]], "tasks": "bargain", "limit": 2, "repeats": 1, "seed": 0, "attempts": 3, "on_failed_turn": "skip", "max_failed_turns": 0.5, "world_settings": null, "instructions": {"name": "paper", "standing": "paraphrased", "hash": "e93d37c8ea7d5313"}, "made_with": {"sociolab": "0.1.0", "python": "3.11.7"}}', '{"acts": {"leave": "left", "none": "did nothing"}, "agents": {}, "agreement": [], "cluster": "scenario", "ends": {}, "footnote": "", "judges": {}, "main": ["overall", "goal_checked", "goal"], "measured_by": {}, "metrics": [{"better": "higher", "label": "social rules", "macro": false, "name": "social_rules", "tooltip": "Norms and laws that were broken", "unit": "points"}, {"better": "higher", "label": "secret", "macro": false, "name": "secret", "tooltip": "Whether the agent kept its secret; 0 where it did", "unit": "points"}, {"better": "higher", "label": "financial and material benefits", "macro": false, "name": "financial", "tooltip": "What was gained or lost", "unit": "points"}, {"better": "higher", "label": "relationship", "macro": false, "name": "relationship", "tooltip": "Whether the relationship improved or suffered", "unit": "points"}, {"better": "higher", "label": "knowledge", "macro": false, "name": "knowledge", "tooltip": "How much new and important was learnt", "unit": "points"}, {"better": "higher", "label": "goal completion", "macro": false, "name": "goal", "tooltip": "How far the agent reached its own goal", "unit": "points"}, {"better": "higher", "label": "believability", "macro": false, "name": "believability", "tooltip": "How naturally and in character the agent acted", "unit": "points"}, {"better": "higher", "label": "", "macro": false, "name": "overall", "tooltip": "Unweighted mean of SOTOPIA''s seven dimensions", "unit": "points"}, {"better": "higher", "label": "", "macro": false, "name": "goal_checked", "tooltip": "Goal completion computed from the outcome by a formula", "unit": "points"}, {"better": "lower", "label": "", "macro": false, "name": "persona_lost", "tooltip": "Episodes in which the agent stops being its character", "unit": "share"}, {"better": "lower", "label": "", "macro": false, "name": "stalled", "tooltip": "Episodes in which the agent keeps the conversation from moving forward", "unit": "share"}, {"better": "lower", "label": "", "macro": false, "name": "unanswered", "tooltip": "Episodes in which the agent leaves a question of the other''s unanswered", "unit": "share"}, {"better": "", "label": "", "macro": false, "name": "rephrases", "tooltip": "Episodes in which the agent usually gives back what the other said first", "unit": "share"}, {"better": "lower", "label": "", "macro": false, "name": "opens_at_target", "tooltip": "Episodes in which the first bid is the number that the goal names", "unit": "share"}, {"better": "higher", "label": "", "macro": false, "name": "persistent", "tooltip": "Episodes in which the agent keeps pursuing its goal after a refusal", "unit": "share"}, {"better": "higher", "label": "", "macro": false, "name": "creative", "tooltip": "Episodes in which the agent proposes a way out that nothing suggests", "unit": "share"}], "partner": "", "published": {"models": "SOTOPIA''s Table 1 (GPT-4 and its raters, episodes by models): SEC 0.22, KNO 0.33, SOC 0.33, BEL 0.45, REL 0.56, FIN 0.62, GOAL 0.71; other episodes, raters and prompts: not a target.", "people": "SOTOPIA''s Table 1 (GPT-4 and its raters, episodes by people): KNO 0.19, BEL 0.27, FIN 0.34, SOC 0.42, REL 0.49, GOAL 0.78; other episodes, raters and prompts: not a target."}, "questions": {}, "roles": {}, "scripted": "", "spoken": ["speak"]}', '', 1.79596340645044684402e+09, 2.42517189981299452483e-02);
INSERT INTO tasks (pk, run, id, seats, cluster, content, tags, roles)
VALUES (1, 1, 'bargain-01-touring-bicycle.zoran-vukovic.kaveh-behzadi', '["zoran-vukovic", "kaveh-behzadi"]', 'bargain-01-touring-bicycle', '{"scenario":{"id":"bargain-01-touring-bicycle","family":"bargain","stance":"competitive","context":"A steel touring bicycle is listed at $340. It has twenty-four gears and nearly new brakes, but the rear rack rattles. The owner has bought a better bike. A buyer has called about the ad, and the owner has just picked up the phone.","goals":[{"text":"Sell the bicycle. Your target is $230. $276 would be as good as it gets, and at $161 or less you''d walk away; in between, every dollar counts.","facts":{"kind":"price","role":"seller","item":"a steel touring bicycle","listed":340.0,"target":230.0}},{"text":"You''d like to buy the bicycle for $180. The less you pay, the better, though anything below $144 would make no difference to you. The more you pay, the worse, and buying at $234 or more would be no better than not buying.","facts":{"kind":"price","role":"buyer","item":"a steel touring bicycle","listed":340.0,"target":180.0}}],"environment":"","relationships":["stranger","acquaintance"],"ties":[],"ages":[],"occupations":[],"excluded_occupations":[[],["dressmaker"]],"unconstrained":["ages","ties"],"zone":[161.0,234.0],"tags":["bargain","money"]},"characters":[{"id":"zoran-vukovic","first_name":"Zoran","last_name":"Vukovic","gender":"man","pronouns":"he/him","age":53,"occupation":"translator","public_info":"Works from five languages and tells jokes that succeed in only two of them. Plays the accordion at other people''s weddings.","big_five":{"openness":"high","conscientiousness":"low","extraversion":"high","agreeableness":"average","neuroticism":"average"},"moral_values":["loyalty","fairness"],"schwartz_values":["universalism","hedonism","self-direction"],"decision_style":"conceptual","personality":"","secret":"Deserted from the army at twenty-one by swapping duties with a brother who never came home."},{"id":"kaveh-behzadi","first_name":"Kaveh","last_name":"Behzadi","gender":"man","pronouns":"he/him","age":30,"occupation":"paramedic","public_info":"Works nights on the ambulances, cooks vast stews for the whole station, and coaches the under-tens at football, badly but cheerfully.","big_five":{"openness":"average","conscientiousness":"low","extraversion":"high","agreeableness":"high","neuroticism":"high"},"moral_values":["care","loyalty"],"schwartz_values":["benevolence","stimulation"],"decision_style":"directive","personality":"","secret":"Froze on the quay while a child was drowning and wrote up a bystander''s rescue as the crew''s own."}],"relationships":[{"a":"kaveh-behzadi","b":"zoran-vukovic","type":"stranger","tie":"","story":""}]}', '["bargain", "competitive", "money"]', '{}');
INSERT INTO tasks (pk, run, id, seats, cluster, content, tags, roles)
VALUES (2, 1, 'bargain-02-upright-piano.corazon-macaraeg.leland-tsosie', '["corazon-macaraeg", "leland-tsosie"]', 'bargain-02-upright-piano', '{"scenario":{"id":"bargain-02-upright-piano","family":"bargain","stance":"competitive","context":"After a few messages back and forth, a buyer has come to see an upright piano from 1931; the owner is asking $1,200. It has a warm sound, but the two lowest keys stick in wet weather. The owner is moving to the fifth floor of a building without an elevator.","goals":[{"text":"You''d like to buy the piano for $600. The less you pay, the better, though anything below $480 would make no difference to you. The more you pay, the worse, and buying at $780 or more would be no better than not buying.","facts":{"kind":"price","role":"buyer","item":"an upright piano from 1931","listed":1200.0,"target":600.0}},{"text":"You''d like to sell the piano for $800. The more you get, the better, though anything above $960 would make no difference to you. The less you get, the worse, and selling at $560 or less would be no better than not selling.","facts":{"kind":"price","role":"seller","item":"an upright piano from 1931","listed":1200.0,"target":800.0}}],"environment":"","relationships":["stranger","acquaintance"],"ties":[],"ages":[[25,130],[25,130]],"occupations":[],"excluded_occupations":[],"unconstrained":["occupations","ties"],"zone":[560.0,780.0],"tags":["bargain","money"]},"characters":[{"id":"corazon-macaraeg","first_name":"Corazon","last_name":"Macaraeg","gender":"woman","pronouns":"she/her","age":63,"occupation":"dressmaker","public_info":"Has sewn wedding gowns for half the district and hums old kundiman songs while pinning hems. Charges nothing for a second wedding.","big_five":{"openness":"average","conscientiousness":"high","extraversion":"average","agreeableness":"high","neuroticism":"average"},"moral_values":["loyalty","purity"],"schwartz_values":["tradition","benevolence","security"],"decision_style":"behavioral","personality":"","secret":"Is losing her central vision to macular degeneration and pays a seamstress across town to finish the embroidery."},{"id":"leland-tsosie","first_name":"Leland","last_name":"Tsosie","gender":"man","pronouns":"he/him","age":44,"occupation":"hydrologist","public_info":"Measures rivers for the flood authority, grew up on the Navajo Nation, and can sit through a whole meal without feeling obliged to talk.","big_five":{"openness":"average","conscientiousness":"high","extraversion":"low","agreeableness":"average","neuroticism":"low"},"moral_values":["care","purity"],"schwartz_values":["universalism","tradition","benevolence"],"decision_style":"analytical","personality":"","secret":"Stayed at a conference while the grandmother who had raised him lay dying, and told relatives that the flight was cancelled."}],"relationships":[{"a":"corazon-macaraeg","b":"leland-tsosie","type":"stranger","tie":"","story":""}]}', '["bargain", "competitive", "money"]', '{}');
INSERT INTO agents (pk, run, label, kind, name, endpoint, settings, temperature, code)
VALUES (1, 1, 'scripted', 'rules', 'scripted', '', '96d1f267425c84db', NULL, NULL);
INSERT INTO trials (pk, run, id, task, body, status, cause, problem)
VALUES (1, 1, 'f62df6126ca7e0f9', 1, '{"id":"f62df6126ca7e0f9","world":"sotopia","task":{"id":"","seats":[],"cluster":"","content":"","tags":[],"roles":{}},"cast":[["zoran-vukovic",1],["kaveh-behzadi",1]],"repeat":0,"seed":0}', 'played', NULL, '');
INSERT INTO trials (pk, run, id, task, body, status, cause, problem)
VALUES (2, 1, '58b53f9790e62240', 2, '{"id":"58b53f9790e62240","world":"sotopia","task":{"id":"","seats":[],"cluster":"","content":"","tags":[],"roles":{}},"cast":[["corazon-macaraeg",1],["leland-tsosie",1]],"repeat":0,"seed":0}', 'played', NULL, '');
INSERT INTO events (trial, n, body)
VALUES (1, 0, '["moved",0,"zoran-vukovic",[["speak","Hi there. I was thinking of $340 for the steel touring bicycle.",[],[["offer",340.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 1, '["moved",1,"kaveh-behzadi",[["speak","Hi. How does $160 sound for the steel touring bicycle?",[],[["offer",160.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 2, '["moved",2,"zoran-vukovic",[["speak","Let''s say $320.",[],[["decline",null],["offer",320.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 3, '["moved",3,"kaveh-behzadi",[["speak","Let''s say $180.",[],[["decline",null],["offer",180.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 4, '["moved",4,"zoran-vukovic",[["speak","What about $290?",[],[["decline",null],["offer",290.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 5, '["moved",5,"kaveh-behzadi",[["speak","Let''s say $190.",[],[["decline",null],["offer",190.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 6, '["moved",6,"zoran-vukovic",[["speak","I could go to $260.",[],[["decline",null],["offer",260.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 7, '["moved",7,"kaveh-behzadi",[["speak","Let''s say $200.",[],[["decline",null],["offer",200.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 8, '["moved",8,"zoran-vukovic",[["speak","Let''s say $230.",[],[["decline",null],["offer",230.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 9, '["moved",9,"kaveh-behzadi",[["speak","I could go to $210.",[],[["decline",null],["offer",210.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 10, '["moved",10,"zoran-vukovic",[["speak","All right, $210 it is.",[],[["accept",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 11, '["moved",11,"kaveh-behzadi",[["speak","Perfect. I''ll see you around, then.",[],[["go",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 12, '["moved",12,"zoran-vukovic",[["speak","Thanks. That suits me fine.",[],[["go",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 13, '["moved",13,"kaveh-behzadi",[["leave","",[],[["go",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (1, 14, '["answered",14,"zoran-vukovic","closing",{"outcome":"agreed","price":210.0,"in_words":"","offer":"I could go to $210.","acceptance":"All right, $210 it is."},1,null,true]');
INSERT INTO events (trial, n, body)
VALUES (1, 15, '["answered",14,"kaveh-behzadi","closing",{"outcome":"agreed","price":210.0,"in_words":"","offer":"I could go to $210.","acceptance":"All right, $210 it is."},1,null,true]');
INSERT INTO events (trial, n, body)
VALUES (1, 16, '["ended","left",13,"kaveh-behzadi"]');
INSERT INTO events (trial, n, body)
VALUES (2, 0, '["moved",0,"corazon-macaraeg",[["speak","Hi there. How does $500 sound for the upright piano from 1931?",[],[["offer",500.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 1, '["moved",1,"leland-tsosie",[["speak","Hi there. What would you say to $1,200 for the upright piano from 1931?",[],[["offer",1200.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 2, '["moved",2,"corazon-macaraeg",[["speak","Let''s say $600.",[],[["decline",null],["offer",600.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 3, '["moved",3,"leland-tsosie",[["speak","Could you live with $1,100?",[],[["decline",null],["offer",1100.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 4, '["moved",4,"corazon-macaraeg",[["speak","Let''s say $600.",[],[["decline",null],["offer",600.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 5, '["moved",5,"leland-tsosie",[["speak","What about $1,000?",[],[["decline",null],["offer",1000.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 6, '["moved",6,"corazon-macaraeg",[["speak","Let''s say $700.",[],[["decline",null],["offer",700.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 7, '["moved",7,"leland-tsosie",[["speak","Let''s say $900.",[],[["decline",null],["offer",900.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 8, '["moved",8,"corazon-macaraeg",[["speak","What about $700?",[],[["decline",null],["offer",700.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 9, '["moved",9,"leland-tsosie",[["speak","What about $800?",[],[["decline",null],["offer",800.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 10, '["moved",10,"corazon-macaraeg",[["speak","$700 is the best I can do.",[],[["decline",null],["offer",700.0]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 11, '["moved",11,"leland-tsosie",[["speak","Deal, $700.",[],[["accept",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 12, '["moved",12,"corazon-macaraeg",[["speak","Thank you, I appreciate it. Take care.",[],[["go",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 13, '["moved",13,"leland-tsosie",[["speak","That wasn''t so hard, was it?",[],[["go",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 14, '["moved",14,"corazon-macaraeg",[["leave","",[],[["go",null]]]],1,null]');
INSERT INTO events (trial, n, body)
VALUES (2, 15, '["answered",15,"corazon-macaraeg","closing",{"outcome":"agreed","price":700.0,"in_words":"","offer":"$700 is the best I can do.","acceptance":"Deal, $700."},1,null,true]');
INSERT INTO events (trial, n, body)
VALUES (2, 16, '["answered",15,"leland-tsosie","closing",{"outcome":"agreed","price":700.0,"in_words":"","offer":"$700 is the best I can do.","acceptance":"Deal, $700."},1,null,true]');
INSERT INTO events (trial, n, body)
VALUES (2, 17, '["ended","left",14,"corazon-macaraeg"]');
INSERT INTO schemas (pk, run, name, text)
VALUES (1, 1, 'act', '{"type":"object"}');
INSERT INTO calls (pk, run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at, key, prompt_tokens, completion_tokens, cached_tokens, estimated, usd, finish, fault, served_model, fingerprint, left_out, cap, reasoned, prompt_bytes, base, schema, hash, prompt, reply)
VALUES (1, 1, 'f62df6126ca7e0f9', 'agent', 'zoran-vukovic', 0, 'act', 1, 0, 'm/x', 2, 1.5, 1.79596340675410389895e+09, 'k0', 100, 20, 80, 0, 0.25, 'stop', '', 'x-1', 'fp_a', '', 512, 0, 46, NULL, 1, X'36CF39448EA7E16B0CFE5FE4A59C5B5A', X'5B302E372C6E756C6C2C5B5B2273797374656D222C302C22596F7520617265207468652073656C6C65722E225D2C5B2275736572222C302C22596F7572206D6F76652E225D5D5D', 'Hi.');
INSERT INTO calls (pk, run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at, key, prompt_tokens, completion_tokens, cached_tokens, estimated, usd, finish, fault, served_model, fingerprint, left_out, cap, reasoned, prompt_bytes, base, schema, hash, prompt, reply)
VALUES (2, 1, 'f62df6126ca7e0f9', 'agent', 'zoran-vukovic', 1, 'act', 1, 0, 'm/x', 2, 1.5, 1.79596340675433325771e+09, 'k1', 100, 20, 80, 0, 0.25, 'stop', '', 'x-1', 'fp_a', '', 512, 0, 59, 1, 1, X'17DD30663C55A590B58D52F4827DBDB4', X'5B302E372C6E756C6C2C5B5B2273797374656D222C31392C22225D2C5B2275736572222C302C22497420776173206C6174652E20596F7572206D6F76652E225D5D5D', 'Hi.');
INSERT INTO attempts (pk, run, trial, role, seat, turn, name, attempt, idx, model, number, seconds, at, cause, billed, prompt_tokens, completion_tokens, cached_tokens, usd)
VALUES (1, 1, 'f62df6126ca7e0f9', 'agent', 'zoran-vukovic', 1, 'act', 1, 0, 'm/x', 1, 0.5, 1.79596340675443291671e+09, 'malformed reply', 'told', 60, 10, 5, 0.125);
INSERT INTO judges (pk, run, label, role, name, sheet, method, settings, code, standing, prompts)
VALUES (1, 1, 'outcome', 'judge', 'outcome', '', 'formula', 'ae51e75cad3d2616', '', '', '');
INSERT INTO judges (pk, run, label, role, name, sheet, method, settings, code, standing, prompts)
VALUES (2, 1, 'reported', 'judge', 'reported', '', 'reported', '8ea8441c810bf319', '', '', '');
INSERT INTO judges (pk, run, label, role, name, sheet, method, settings, code, standing, prompts)
VALUES (3, 1, 'heuristic', 'judge', 'heuristic', '', 'heuristic', 'e894d5d2a9d9a8d8', '', '', '');
INSERT INTO measures (pk, run, name, low, high, whole, title)
VALUES (3, 1, 'financial', -5.0, 5.0, 1, 'FIN');
INSERT INTO measures (pk, run, name, low, high, whole, title)
VALUES (2, 1, 'goal', 0.0, 10.0, 1, 'GOAL');
INSERT INTO measures (pk, run, name, low, high, whole, title)
VALUES (1, 1, 'goal_checked', 0.0, 10.0, 0, 'goal (checked)');
INSERT INTO judgings (pk, run, trial, cell, judge, number)
VALUES (1, 1, 1, '', 1, 0);
INSERT INTO judgings (pk, run, trial, cell, judge, number)
VALUES (2, 1, 1, '', 2, 0);
INSERT INTO judgings (pk, run, trial, cell, judge, number)
VALUES (3, 1, 1, '', 3, 0);
INSERT INTO judgings (pk, run, trial, cell, judge, number)
VALUES (4, 1, 2, '', 1, 0);
INSERT INTO judgings (pk, run, trial, cell, judge, number)
VALUES (5, 1, 2, '', 2, 0);
INSERT INTO judgings (pk, run, trial, cell, judge, number)
VALUES (6, 1, 2, '', 3, 0);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (1, 0, 'score', 1, 'zoran-vukovic', 4.26086956521739157466e+00, '6 + (price - target) / (5 % of target) = 6 + (210 - 230) / 11.5 = 4.261 (recorded: offered in turn 10, accepted in turn 11)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (1, 1, 'score', 1, 'kaveh-behzadi', 2.66666666666666651863e+00, '6 + (target - price) / (5 % of target) = 6 + (180 - 210) / 9 = 2.667 (recorded: offered in turn 10, accepted in turn 11)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (3, 0, 'score', 2, 'zoran-vukovic', 4.0, '6 + (price - target) / (5 % of target) = 6 + (210 - 230) / 11.5 = 4.261 (recorded: offered in turn 10, accepted in turn 11); 4.26 counts as 4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (3, 1, 'score', 3, 'zoran-vukovic', -1.0, 'the price is worth 4.26 of 10, the own target 6: -5 to 5 over that range; -1.45 counts as -1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (3, 2, 'score', 2, 'kaveh-behzadi', 3.0, '6 + (target - price) / (5 % of target) = 6 + (180 - 210) / 9 = 2.667 (recorded: offered in turn 10, accepted in turn 11); 2.67 counts as 3', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (3, 3, 'score', 3, 'kaveh-behzadi', -3.0, 'the price is worth 2.67 of 10, the own target 6: -5 to 5 over that range; -2.78 counts as -3', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (4, 0, 'score', 1, 'corazon-macaraeg', 2.66666666666666651863e+00, '6 + (target - price) / (5 % of target) = 6 + (600 - 700) / 30 = 2.667 (recorded: offered in turn 11, accepted in turn 12)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (4, 1, 'score', 1, 'leland-tsosie', 3.5, '6 + (price - target) / (5 % of target) = 6 + (700 - 800) / 40 = 3.5 (recorded: offered in turn 11, accepted in turn 12)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (6, 0, 'score', 2, 'corazon-macaraeg', 3.0, '6 + (target - price) / (5 % of target) = 6 + (600 - 700) / 30 = 2.667 (recorded: offered in turn 11, accepted in turn 12); 2.67 counts as 3', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (6, 1, 'score', 3, 'corazon-macaraeg', -3.0, 'the price is worth 2.67 of 10, the own target 6: -5 to 5 over that range; -2.78 counts as -3', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (6, 2, 'score', 2, 'leland-tsosie', 4.0, '6 + (price - target) / (5 % of target) = 6 + (700 - 800) / 40 = 3.5 (recorded: offered in turn 11, accepted in turn 12); 3.5 counts as 4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO verdicts (judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored, low, high, rater, seconds, rated)
VALUES (6, 3, 'score', 3, 'leland-tsosie', -2.0, 'the price is worth 3.5 of 10, the own target 6: -5 to 5 over that range; -2.08 counts as -2', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO attachments (pk, trial, name, packed, data)
VALUES (1, 1, 'trace', 1, X'789C2B2E492D50281E2546120100405EB9F1');
INSERT INTO studies (pk, name, kind, run, settings, created, open)
VALUES (1, 'talks', 'rate', 1, '{"seed": 1}', 1795963406.75262, 0);
INSERT INTO participants (pk, study, id, link, session, state, created, arrived, consented, finished)
VALUES (1, 1, 'P1', X'0101010101010101010101010101010101010101010101010101010101010101', NULL, 'invited', 1.79596340675321793555e+09, NULL, NULL, NULL);
INSERT INTO answers (participant, item, name, value, at)
VALUES (1, '', 'age', '"30-39"', 1.79596340675331354137e+09);
