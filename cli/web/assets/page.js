'use strict';
// Shows what /api tells, once a second; in a report (cli/web/report_page.h) the one job that it holds.

const kReport = $('report') ? JSON.parse($('report').textContent) : null;

const isRunning = (job) => job.state === 'queued' || job.state === 'running' || job.state === 'committing';

function pocd(job) {
  const value = job.forecast ? job.forecast.pocd : null;
  if (value === null || value === undefined) return '';
  return value > 0.999 && value < 1 ? '> 0.999' : value.toFixed(3);
}

function deadline(job) {
  if (job.deadline_seconds === null) return element('td', 'none', 'faint');
  if (job.deadline_met !== null) {
    return element('td', time(job.deadline_seconds) + (job.deadline_met ? ', met' : ', missed'), job.deadline_met ? 'good' : 'bad');
  }
  const left = job.deadline_seconds - job.elapsed_seconds;
  return element('td', left >= 0 ? time(left) + ' left' : time(-left) + ' late', left >= 0 ? '' : 'bad');
}

function bar(done, all) {
  const made = element('progress');
  made.max = Math.max(1, all);
  made.value = Math.min(done, made.max);
  made.title = size(done) + ' of ' + size(all);
  const cell = element('td');
  cell.append(made);
  return cell;
}

function jobRow(job) {
  const row = element('tr');
  const link = element('a', job.job);
  link.href = '#' + job.job;
  const name = element('td');
  name.append(link);
  const state = element('td', job.state, job.state === 'failed' ? 'bad' : '');
  if (job.message) state.title = job.message;
  row.append(name, element('td', job.owner || ''), element('td', job.application), element('td', job.policy), state,
             bar(job.state === 'succeeded' ? job.input_bytes : job.mapped_bytes, job.input_bytes),
             element('td', job.tasks_done + ' / ' + job.tasks, 'number'),
             element('td', job.attempts_launched + (job.attempts_running ? ' (' + job.attempts_running + ' run)' : ''), 'number'),
             element('td', time(job.elapsed_seconds), 'number'), deadline(job), element('td', pocd(job), 'number'));
  return row;
}

function held(node) {
  return node.hold ? ', held back as ' + node.hold.cause + ' for ' + time(node.hold.left_seconds) + ' more' : '';
}

function nodeRow(node) {
  const row = element('tr');
  const slots = element('td');
  const meter = element('progress');
  meter.max = Math.max(1, node.slots);
  meter.value = node.busy;
  slots.append(meter, ' ' + node.busy + ' / ' + node.slots);
  const state = element('td', node.state + held(node), node.hold || node.state === 'silent' || node.state === 'lost' ? 'bad' : '');
  if (node.hold) state.title = node.hold.reason;
  row.append(element('td', node.name), element('td', node.host), state, slots,
             element('td', node.attempts_failed, 'number'), element('td', time(node.silent_seconds) + ' ago', 'number'));
  return row;
}

function showOverview(nodes, jobs) {
  const running = jobs.filter(isRunning);
  const ended = jobs.filter((job) => !isRunning(job)).reverse().slice(0, 200);
  show($('jobs').tBodies[0], [...running.reverse().map(jobRow), ...ended.map(jobRow)]);
  $('no-jobs').hidden = jobs.length > 0;
  const isGone = (node) => node.state === 'lost' || node.state === 'left';
  const shown = nodes.filter((node) => !isGone(node)).concat(nodes.filter(isGone).slice(-20));
  show($('nodes').tBodies[0], shown.slice(0, 500).map(nodeRow));
}

function showCluster(nodes, jobs) {
  const live = nodes.filter((node) => node.state === 'live');
  const busy = live.reduce((sum, node) => sum + node.busy, 0);
  const slots = live.reduce((sum, node) => sum + node.slots, 0);
  const heldBack = live.filter((node) => node.hold).length;
  $('cluster').textContent = counted(live.length, 'worker') + ', ' + (heldBack ? heldBack + ' of them held back, ' : '') + busy + ' of ' + slots + ' slots busy, ' +
      counted(jobs.filter(isRunning).length, 'job') + ' running';
}

function facts(job) {
  const list = [['State', job.state + (job.message ? ': ' + job.message : '')],
                ...(job.owner ? [['Owner', job.owner]] : []),
                ['Policy', job.policy + ' ' + Object.entries(job.policy_parameters).map((p) => p.join('=')).join(', ')],
                ['Input', size(job.input_bytes) + ' in ' + counted(job.tasks, 'split') + ', ' + job.tasks_done + ' done'],
                ...(job.attempts_failed ? [['Failures', counted(job.attempts_failed, 'attempt') + ' failed']] : []),
                ['Time', time(job.elapsed_seconds) + (job.deadline_seconds === null ? '' : ', deadline ' + time(job.deadline_seconds) +
                  (job.deadline_met === null ? '' : job.deadline_met ? ' (met)' : ' (missed)'))],
                ['Output', job.output]];
  if (job.forecast) {
    const f = job.forecast;
    list.push(['Forecast', 'PoCD ' + (pocd(job) || 'unknown') +
               (f.median_seconds == null ? '' : ', done after ' + time(f.low_seconds) + ' to ' + time(f.high_seconds))]);
  }
  if (job.account) {
    const b = job.account.bytes;
    list.push([
      'Mapped',
      size(b.mapped) + ': useful ' + size(b.useful) + ', twice ' + size(b.duplicated) + ', wasted ' + size(b.dropped) +
          ', open ' + size(b.open)
    ]);
  }
  return list;
}

function splitBar(task) {
  const svg = shape('svg', {viewBox: '0 0 1000 10', preserveAspectRatio: 'none', height: 10, role: 'img', 'aria-label': 'split ' + task.task});
  const span = Math.max(1, task.end - task.begin);
  const x = (offset) => 1000 * (offset - task.begin) / span;
  const copies = new Set(task.attempts.filter((attempt) => attempt.speculative).map((attempt) => attempt.attempt));
  for (const segment of task.segments) {
    const kind = segment.state !== 'sealed' ? 'open' : copies.has(segment.attempt) ? 'copy' : 'useful';
    svg.append(shape('rect', {x: x(segment.begin), y: 0, width: Math.max(1, x(segment.end) - x(segment.begin)), height: 10, class: kind},
                     'bytes ' + segment.begin + ' to ' + segment.end + ', ' + segment.state));
  }
  for (const attempt of task.attempts.filter((a) => a.ended_unix_ns === null)) {
    svg.append(shape('line', {x1: x(attempt.offset), x2: x(attempt.offset), y1: 0, y2: 10, class: 'reached'}, 'attempt ' + attempt.attempt + ' on ' + attempt.node_name));
  }
  return svg;
}

const kSplitsShown = 200;
const kFailuresShown = 20;

// The latest ones.
function failureRows(job) {
  const failed = job.task_list.flatMap((task) => task.attempts.filter((attempt) => attempt.state === 'failed').map((attempt) => ({...attempt, task: task.task})));
  failed.sort((a, b) => b.ended_unix_ns - a.ended_unix_ns);
  return failed.slice(0, kFailuresShown).flatMap(
      (attempt) => [element('dt', 'task ' + attempt.task + ', attempt ' + attempt.attempt + ' on ' + attempt.node_name),
                    element('dd', attempt.message, 'lines')]);
}

function splitRow(task) {
  const name = element('span', 'split ' + task.task, 'number');
  if (task.end !== null) return [name, splitBar(task), element('span', task.state, 'faint')];
  const reached = Math.max(0, ...task.attempts.map((attempt) => attempt.offset));
  return [name, element('span', size(reached) + ' decompressed; nobody knows yet how much there is', 'faint'), element('span', task.state, 'faint')];
}

function showTasks(job) {
  showTimeline(job);
  const failures = failureRows(job);
  show($('failures'), failures);
  $('failed').hidden = failures.length === 0;
  // Those that are not done first.
  const tasks = [...job.task_list].sort((a, b) => (a.state === 'done') - (b.state === 'done') || a.task - b.task);
  const rows = tasks.slice(0, kSplitsShown).flatMap(splitRow);
  const hidden = tasks.length - kSplitsShown;
  if (hidden > 0) rows.push(element('span', counted(hidden, 'more split is', 'more splits are') + ' not shown', 'faint'));
  show($('splits'), rows);
}

function showJob(job) {
  const title = [job.job + ': ' + (job.name || job.application) + ' '];
  if (!kReport) {
    title.push(element('a', 'logs'));
    title[1].href = 'api/jobs/' + job.job + '/logs';
  }
  show($('job-title'), title);
  show($('facts'), facts(job).flatMap(([name, text]) => [element('dt', name), element('dd', text)]));
  const has_tasks = job.tasks === 0 || job.task_list.length > 0;
  $('tasks').hidden = !has_tasks;
  $('too-many').hidden = has_tasks;
  $('too-many').textContent = 'Attempts and splits of jobs with ' + counted(job.tasks, 'task') + ' are not drawn; ontime job ' + job.job + ' --open lists those that are not done.';
  if (has_tasks) showTasks(job);
}

async function ask(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

let latest = 0;  // of the calls below; only this one may show something

async function refresh() {
  const call = ++latest;
  const wanted = /^#(job-\d+)$/.exec(location.hash);
  try {
    const [nodes, jobs, job] = await Promise.all([ask('api/nodes'), ask('api/jobs'), wanted ? ask('api/jobs/' + wanted[1]) : null]);
    if (call !== latest) return false;
    showCluster(nodes.nodes, jobs.jobs);
    if (job) showJob(job);
    else showOverview(nodes.nodes, jobs.jobs);
    $('trouble').hidden = true;
  } catch (error) {
    if (call !== latest) return false;
    $('cluster').textContent = 'The master does not answer; what is shown is as it was before';
    $('trouble').textContent = error.message;
    $('trouble').hidden = false;
  }
  $('overview').hidden = Boolean(wanted);
  $('job').hidden = !wanted;
  return true;
}

let timer = 0;
async function loop() {
  clearTimeout(timer);
  if (!await refresh()) return;  // a later call goes on
  timer = setTimeout(loop, document.hidden ? 5000 : 1000);
}

if (kReport) {
  document.title = kReport.job + ', ' + kReport.application;
  $('cluster').textContent = 'Report of a job that was submitted ' + new Date(kReport.submitted_unix_ns / 1e6).toLocaleString();
  showJob(kReport);
  $('overview').hidden = true;
  $('job').hidden = false;
} else {
  addEventListener('hashchange', loop);
  loop();
}
