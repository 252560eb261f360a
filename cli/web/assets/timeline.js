'use strict';
// The attempts of a job over time, by worker, with the decisions about them.

// What was decided about each attempt, by "task/attempt".
function reasons(explanation) {
  const told = new Map();
  const add = (task, attempt, line) => {
    const lines = told.get(task + '/' + attempt) || told.set(task + '/' + attempt, []).get(task + '/' + attempt);
    if (!lines.includes(line)) lines.push(line);
  };
  for (const task of explanation ? explanation.tasks : []) {
    for (const decision of task.decisions) {
      const line = decisionText(decision);
      if (decision.attempt !== null) add(task.task, decision.attempt, line);
      for (const fate of decision.attempts) add(task.task, fate.attempt, line);
    }
  }
  return told;
}

function decisionText(decision) {
  const change = decision.pocd_before === null || decision.pocd_after === null ? '' :
      '; PoCD ' + decision.pocd_before.toFixed(3) + ' → ' + decision.pocd_after.toFixed(3);
  return 'at ' + time(decision.at_seconds) + ', ' + decision.text + change;
}

// All attempts of the tasks, with the seconds after submission from and to which they ran.
function attemptsOf(job) {
  const begin = job.submitted_unix_ns / 1e9;
  return job.task_list.flatMap((task) => task.attempts.map((attempt) => ({
    ...attempt,
    task: task.task,
    sealed: task.segments.some((segment) => segment.state === 'sealed' && segment.attempt === attempt.attempt),
    from: attempt.launched_unix_ns / 1e9 - begin,
    to: attempt.ended_unix_ns === null ? job.elapsed_seconds : attempt.ended_unix_ns / 1e9 - begin
  })));
}

// How many attempts ran, over time, in a strip of that height.
function runningStrip(attempts, axis, height) {
  const changes = attempts.flatMap((a) => [[a.from, 1], [a.to, -1]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let running = 0;
  const steps = changes.map(([at, change]) => [at, running += change]);
  const most = Math.max(1, ...steps.map(([, count]) => count));
  let path = 'M' + axis.x(0) + ' ' + height;
  for (const [at, count] of steps) path += 'H' + axis.x(at).toFixed(1) + 'V' + (height * (1 - count / most)).toFixed(1);
  return [label('running, of ' + most, {x: 0, y: height}), shape('path', {d: path, class: 'running-strip'}, 'attempts running, at most ' + most)];
}

function decisionMarks(explanation, axis, y) {
  const all = explanation ? [...explanation.decisions.map((decision) => ({decision, about: 'the whole job'})),
    ...explanation.tasks.flatMap((task) => task.decisions.map((decision) => ({decision, about: 'task ' + task.task})))] : [];
  if (all.length === 0) return [];
  const byPlace = new Map();  // those at about the same time share a mark
  for (const {decision, about} of all) {
    const x = Math.round(axis.x(decision.at_seconds) / 4) * 4;
    (byPlace.get(x) || byPlace.set(x, []).get(x)).push(about + ' ' + decisionText(decision));
  }
  const marks = [...byPlace].map(
      ([x, lines]) => choosable(shape('path', {d: 'M' + x + ' ' + y + 'l5 6l-5 6l-5 -6z', class: 'decision'}, lines.join('\n')), 'decision ' + x));
  return [label('decisions', {x: 0, y: y + 10}), ...marks];
}

const kRow = 16;

function kindOf(attempt) {
  if (attempt.state === 'failed') return 'failed';
  if (attempt.ended_unix_ns !== null && attempt.state !== 'succeeded' && !attempt.sealed) return 'lost';
  return attempt.speculative ? 'copy' : 'useful';
}

function attemptShape(attempt, axis, y, told) {
  const key = attempt.task + '/' + attempt.attempt;
  const lines = ['task ' + attempt.task + ', attempt ' + attempt.attempt + ' on ' + attempt.node_name + ': ' + attempt.state + ', bytes ' +
                 attempt.start_offset + ' to ' + attempt.offset + ', ' + time(attempt.to - attempt.from),
                 ...(attempt.message ? [attempt.message] : []), ...(told.get(key) || [])];
  return choosable(shape('rect', {x: axis.x(attempt.from), y, width: Math.max(1, axis.x(attempt.to) - axis.x(attempt.from)), height: kRow - 4,
                                  class: kindOf(attempt) + (attempt.ended_unix_ns !== null ? '' : ' running')}, lines.join('\n')), key);
}

const byName = (a, b) => a.localeCompare(b, 'en', {numeric: true});

function byNode(attempts) {
  const found = new Map();
  for (const attempt of attempts) (found.get(attempt.node_name) || found.set(attempt.node_name, []).get(attempt.node_name)).push(attempt);
  return [...found].sort(([a], [b]) => byName(a, b));
}

// Attempts of one worker that overlap (it has several slots) lie in lanes of their own. Says where the next row begins.
function drawNode(drawn, [node, attempts], axis, y, told) {
  const lanes = [];
  drawn.push(label(node, {x: 0, y: y + 11}));
  for (const attempt of attempts.sort((a, b) => a.from - b.from)) {
    let lane = lanes.findIndex((end) => end <= attempt.from);
    if (lane < 0) lane = lanes.push(0) - 1;
    lanes[lane] = attempt.to;
    drawn.push(attemptShape(attempt, axis, y + lane * kRow, told));
  }
  const next = y + Math.max(1, lanes.length) * kRow;
  drawn.push(shape('line', {x1: 0, x2: axis.width, y1: next - 1, y2: next - 1, class: 'axis'}));
  return next + 2;
}

function showTimeline(job, attempts) {
  const axis = axisOf(0, Math.max(job.elapsed_seconds, job.deadline_seconds || 0, 0.001), 120, kChartWidth);
  const told = reasons(job.explanation);
  const drawn = runningStrip(attempts, axis, 30);
  let y = 36;
  const marks = decisionMarks(job.explanation, axis, y);
  drawn.push(...marks);
  if (marks.length > 0) y += kRow + 2;
  for (const row of byNode(attempts)) y = drawNode(drawn, row, axis, y, told);
  if (job.deadline_seconds !== null) {
    const x = axis.x(job.deadline_seconds);
    drawn.push(shape('line', {x1: x, x2: x, y1: 0, y2: y, class: 'deadline'}, 'deadline'));
  }
  drawn.push(...ticks(axis, y + 14, time));
  $('timeline').setAttribute('viewBox', '0 0 ' + axis.width + ' ' + (y + 20));
  show($('timeline'), drawn);
  tellChosen();
}

let chosen = null;  // the key of what was chosen in the timeline

function tellChosen() {
  const found = chosen === null ? null : $('timeline').querySelector('[data-key="' + chosen + '"] > title');
  $('chosen').textContent = found ? found.textContent : 'Choose an attempt or a decision to read why it came about.';
}

for (const event of ['click', 'focusin']) {
  $('timeline').addEventListener(event, (happened) => {
    const key = happened.target.getAttribute('data-key');
    if (key === null) return;
    chosen = key;
    tellChosen();
  });
}
