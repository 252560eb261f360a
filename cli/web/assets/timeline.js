'use strict';
// The attempts of a job over time, by worker, with the decisions about them.

// What was decided about each attempt, by "task/attempt", and why nothing was about a task, by its number.
function reasons(explanation) {
  const told = new Map();
  const add = (key, line) => {
    const lines = told.get(key) || told.set(key, []).get(key);
    if (!lines.includes(line)) lines.push(line);
  };
  for (const task of explanation ? explanation.tasks : []) {
    for (const decision of task.decisions) {
      const line = decisionText(decision);
      if (decision.attempt !== null) add(task.task + '/' + decision.attempt, line);
      for (const fate of decision.attempts) add(task.task + '/' + fate.attempt, line);
    }
    for (const clone of task.clones) add(task.task + '/' + clone.attempt, cloneText(clone));
    if (task.declined) add(task.task, declinedText(task));
  }
  return told;
}

function cloneText(clone) {
  return 'at ' + time(clone.launched_seconds) + ', the task was started with this clone beside the original';
}

function declinedText({declined, decisions}) {
  const {since_seconds: since, last_seconds: last, text} = declined;
  const what = decisions.length > 0 ? 'nothing more' : 'nothing';
  return 'at ' + time(since) + ', ' + what + ' was done' + (last > since ? ' until ' + time(last) : '') + ': ' + text;
}

function heldText(held) {
  const until = (held.is_over ? ' until ' : ', at most until ') + time(held.until_seconds);
  return 'held back as ' + held.cause + until + ': ' + held.reason;
}

// Of large explanations only a part is here.
function leftOutText(job) {
  const {tasks_left_out: tasks, decisions_dropped: dropped} = job.explanation || {};
  const lines = [];
  const decided = 'What was decided about ' + counted(tasks, 'more task') + ' is left out';
  if (tasks > 0) lines.push(decided + '; ontime explain ' + job.job + ' --all tells it.');
  const later = counted(dropped, 'later decision was', 'later decisions were');
  if (dropped > 0) lines.push(later + ' not kept: there were too many.');
  return lines.join(' ');
}

function decisionText(decision) {
  const change = decision.pocd_before === null || decision.pocd_after === null ? '' :
      '; PoCD ' + pocdText(decision.pocd_before) + ' → ' + pocdText(decision.pocd_after);
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
  return [label('running, of ' + most, {x: 0, y: height, 'data-key': 'most running'}),
          shape('path', {d: path, class: 'running-strip', 'data-key': 'running'}, 'attempts running, at most ' + most)];
}

// All that was decided for the job, in order of time.
function decisionsOf(explanation) {
  if (!explanation) return [];
  const told = (decision, about) => ({at: decision.at_seconds, about, text: decisionText(decision)});
  const all = explanation.decisions.map((decision) => told(decision, 'the whole job'));
  for (const task of explanation.tasks) {
    all.push(...task.decisions.map((decision) => told(decision, 'task ' + task.task)));
  }
  for (const held of explanation.held_nodes) {
    const at = Math.max(0, held.since_seconds);
    all.push({at, about: held.node_name, text: 'at ' + time(at) + ', ' + heldText(held)});
  }
  return all.sort((a, b) => a.at - b.at);
}

// Those at about the same time share a mark. It goes by the first of them, which stays when others come.
function decisionMarks(explanation, axis, y) {
  const byPlace = new Map();
  for (const decision of decisionsOf(explanation)) {
    const x = Math.round(axis.x(decision.at) / 4) * 4;
    (byPlace.get(x) || byPlace.set(x, []).get(x)).push(decision);
  }
  if (byPlace.size === 0) return [];
  const marks = [...byPlace].map(([x, decisions]) => {
    const text = decisions.map((decision) => decision.about + ' ' + decision.text).join('\n');
    const mark = shape('path', {d: 'M' + x + ' ' + y + 'l5 6l-5 6l-5 -6z', class: 'decision'}, text);
    return choosable(mark, 'decision ' + decisions[0].about + ' ' + decisions[0].at);
  });
  return [label('decisions', {x: 0, y: y + 10, 'data-key': 'decisions'}), ...marks];
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
                 ...(attempt.message ? [attempt.message] : []), ...(told.get(key) || []),
                 ...(told.get(attempt.task) || [])];
  return choosable(shape('rect', {x: axis.x(attempt.from), y, width: Math.max(1, axis.x(attempt.to) - axis.x(attempt.from)), height: kRow - 4,
                                  class: kindOf(attempt) + (attempt.ended_unix_ns !== null ? '' : ' running')}, lines.join('\n')), key);
}

const byName = (a, b) => a.localeCompare(b, 'en', {numeric: true});

function byNode(attempts) {
  const found = new Map();
  for (const attempt of attempts) (found.get(attempt.node_name) || found.set(attempt.node_name, []).get(attempt.node_name)).push(attempt);
  return [...found].sort(([a], [b]) => byName(a, b));
}

// As much of a name as has room left of the axis; the list of workers has all of it.
const fitting = (name, room) => (name.length * 6.5 <= room ? name : name.slice(0, Math.floor(room / 6.5) - 1) + '…');

// Attempts of one worker that overlap (it has several slots) lie in lanes of their own. Says where the next row begins.
function drawNode(drawn, [node, attempts], axis, y, told) {
  const lanes = [];
  drawn.push(label(fitting(node, axis.left), {x: 0, y: y + 11, 'data-key': 'name of ' + node}));
  for (const attempt of attempts.sort((a, b) => a.from - b.from)) {
    let lane = lanes.findIndex((end) => end <= attempt.from);
    if (lane < 0) lane = lanes.push(0) - 1;
    lanes[lane] = attempt.to;
    drawn.push(attemptShape(attempt, axis, y + lane * kRow, told));
  }
  const next = y + Math.max(1, lanes.length) * kRow;
  const line = {x1: 0, x2: axis.width, y1: next - 1, y2: next - 1, class: 'axis', 'data-key': 'line below ' + node};
  drawn.push(shape('line', line));
  return next + 2;
}

const kReach = 1.5;

// To the deadline if that is near; otherwise attempts would be too short to be seen.
function timelineAxis(job) {
  const expected = job.forecast && job.ended_unix_ns === null ? job.forecast.median_seconds || 0 : 0;
  const deadline = job.deadline_seconds || 0;
  const isNear = deadline <= kReach * Math.max(job.elapsed_seconds, expected);
  const end = Math.max(job.elapsed_seconds, isNear ? deadline : 0, 0.001);
  return axisOf(0, end);
}

const isBeyond = (deadline, axis) => deadline !== null && deadline > axis.end;

function deadlineMark(job, axis, y) {
  if (job.deadline_seconds === null) return [];
  if (isBeyond(job.deadline_seconds, axis)) {
    const text = 'deadline after ' + time(job.deadline_seconds) + ' →';
    return [label(text, {x: axis.width - 10, y: y + 30, 'text-anchor': 'end', 'data-key': 'far deadline'})];
  }
  const x = axis.x(job.deadline_seconds);
  return [shape('line', {x1: x, x2: x, y1: 0, y2: y, class: 'deadline', 'data-key': 'deadline'}, 'deadline')];
}

const timelineFigure = new Figure($('timeline'));

function showTimeline(job, attempts) {
  const axis = timelineAxis(job);
  const told = reasons(job.explanation);
  const drawn = runningStrip(attempts, axis, 30);
  let y = 36;
  const marks = decisionMarks(job.explanation, axis, y);
  drawn.push(...marks);
  if (marks.length > 0) y += kRow + 2;
  for (const row of byNode(attempts)) y = drawNode(drawn, row, axis, y, told);
  drawn.push(...deadlineMark(job, axis, y), ...ticks(axis, y + 14));
  const height = y + (isBeyond(job.deadline_seconds, axis) ? 36 : 20);
  $('timeline').setAttribute('viewBox', '0 0 ' + axis.width + ' ' + height);
  timelineFigure.show(drawn);
  tellChosen();
  const leftOut = leftOutText(job);
  $('left-out').hidden = leftOut === '';
  tell($('left-out'), leftOut);
}

let chosen = null;  // the key of what was chosen in the timeline

// The mark of a decision may have become one with another's: then what was told stays.
function tellChosen() {
  const all = [...$('timeline').querySelectorAll(kChoosable)];
  const found = all.find((one) => keyOf(one) === chosen);
  if (found) tell($('chosen'), found.querySelector('title').textContent);
  else if (chosen === null) tell($('chosen'), 'Choose an attempt or a decision to read why it came about.');
}

function forgetChosen() {
  chosen = timelineFigure.stop = forecastFigure.stop = null;
}

function choose(event) {
  if (!event.target.matches(kChoosable)) return;
  chosen = keyOf(event.target);
  tellChosen();
}

for (const event of ['click', 'focusin']) $('timeline').addEventListener(event, choose);
$('timeline').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();  // a space would scroll
  choose(event);
});
