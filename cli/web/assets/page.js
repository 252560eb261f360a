'use strict';
// Shows what /api tells, once a second; in a report (cli/web/report_page.h) the one job that it holds.

const kReport = $('report') ? JSON.parse($('report').textContent) : null;

const isRunning = (job) => job.state === 'queued' || job.state === 'running' || job.state === 'committing';

const jobList = new List($('jobs'), 'jobs', kJobColumns,
    [['', 'all states'], ['open', 'not ended'], ['running', 'running'], ['queued', 'queued'], ['succeeded', 'succeeded'], ['failed', 'failed'], ['killed', 'killed']], () => loop());
const nodeList = new List($('nodes'), 'workers', kNodeColumns,
    [['here', 'all but gone'], ['', 'all states'], ['live', 'live'], ['held', 'left out'], ['draining', 'draining'], ['drained', 'drained'], ['silent', 'silent'], ['lost', 'lost'], ['left', 'left']], () => loop());
const taskList = new List($('task-list'), 'tasks', kTaskColumns, [['', 'all states'], ['waiting', 'waiting'], ['running', 'running'], ['done', 'done']], () => tasksChanged());
const workerList = new List($('workers'), 'workers of the job', kWorkerColumns, [['', 'all']], () => shown && showWorkers(shown));

let shown = null;  // the job that is
let attempts = [];  // of it, if each is drawn

function showOverview(nodes, jobs, use) {
  jobList.show(jobs.jobs.map(jobRow), jobs.matching, jobs.all);
  $('no-jobs').hidden = jobs.all > 0;
  nodeList.show(nodes.nodes.map(nodeRow), nodes.matching, nodes.all);
  showUse(use.jobs, nodes.slots, new Set(jobs.jobs.filter(isRunning).map((job) => job.job)));
}

function showCluster(nodes, jobs) {
  $('cluster').textContent = counted(nodes.live, 'worker') + ', ' + (nodes.held_back ? grouped(nodes.held_back) + ' of them left out, ' : '') + grouped(nodes.busy) + ' of ' +
      grouped(nodes.slots) + ' slots busy, ' + counted(jobs.running, 'job') + ' running';
}

// In the words of `ontime job`.
const kAccountParts = {
  useful: 'useful', duplicated: 'duplicated', dropped: 'dropped', open: 'not sealed yet', launch: 'launching', standby: 'standing by'
};

function spentOn(parts, show) {
  const named = Object.entries(kAccountParts).filter(([key]) => parts[key] > 0).map(([key, name]) => name + ' ' + show(parts[key]));
  return named.length === 0 ? '' : ': ' + named.join(', ');
}

function facts(job) {
  const list = [['State', job.state + (job.message ? ': ' + job.message : '') + (job.waiting_for ? ', waits for ' + job.waiting_for : '')],
                ...(job.owner ? [['Owner', job.owner]] : []),
                ['Policy', job.policy + ' ' + Object.entries(job.policy_parameters).map((p) => p.join('=')).join(', ')],
                ['Input', size(job.input_bytes) + ' in ' + counted(job.tasks, 'split') + ', ' + grouped(job.tasks_done) + ' done'],
                ['Attempts', grouped(job.attempts_launched) + ' launched, ' + grouped(job.attempts_running) + ' running, ' + grouped(job.attempts_failed) + ' failed'],
                ['Time', time(job.elapsed_seconds) + (job.deadline_seconds === null ? '' : ', deadline ' + time(job.deadline_seconds) +
                  (job.deadline_met === null ? '' : job.deadline_met ? ' (met)' : ' (missed)'))],
                ['Output', job.output]];
  if (job.forecast) {
    const f = job.forecast;
    list.push(['Forecast', 'PoCD ' + (pocd(job) || 'unknown') +
               (f.median_seconds == null ? '' : ', done after ' + time(f.low_seconds) + ' to ' + time(f.high_seconds))]);
  }
  if (job.account) {
    const {bytes, machine_ns: machine} = job.account;
    const ofSlots = (ns) => time(ns / 1e9);
    list.push(['Mapped', size(bytes.mapped) + spentOn(bytes, size)], ['Machine time', ofSlots(machine.total) + spentOn(machine, ofSlots)]);
  }
  return list;
}

const kFailuresShown = 50;
const logs = new Map();  // what failed attempts have written, by "job/task/attempt", as far as somebody wanted to know

async function readLog(key, job, attempt) {
  logs.set(key, 'Asking ...');
  try {
    const answer = await ask('api/jobs/' + job + '/logs?task=' + attempt.task + '&attempt=' + attempt.attempt);
    logs.set(key, answer.logs.map((log) => log.text).join('') || 'It has written nothing, or it is not kept any more.');
  } catch (error) {
    logs.set(key, error.message);
  }
  if (shown) showFailures(shown);
}

// The latest ones.
function failuresOf(job) {
  if (job.overview) return job.overview.failures;
  const failed = attempts.filter((attempt) => attempt.state === 'failed');
  return failed.sort((a, b) => b.ended_unix_ns - a.ended_unix_ns).slice(0, kFailuresShown);
}

function failureItem(job, attempt) {
  const key = job.job + '/' + attempt.task + '/' + attempt.attempt;
  const item = element('li');
  item.setAttribute('data-key', key);
  item.append(element('span', 'task ' + attempt.task + ', attempt ' + attempt.attempt + ' on ' + attempt.node_name + ', after ' +
                      time((attempt.ended_unix_ns - job.submitted_unix_ns) / 1e9), 'faint'),
              element('span', attempt.message || 'The message is not kept any more.', 'lines message'));
  if (!kReport) {
    const details = element('details');
    details.append(element('summary', 'log'), element('pre', logs.get(key) || ''));
    item.append(details);
  }
  return item;
}

function showFailures(job) {
  const failed = failuresOf(job);
  $('failed').hidden = failed.length === 0;
  $('more-failed').textContent = job.attempts_failed > failed.length ? 'The latest ' + failed.length + ' of ' + grouped(job.attempts_failed) + '.' : '';
  show($('failures'), failed.map((attempt) => failureItem(job, attempt)));
}

$('failures').addEventListener('toggle', (event) => {
  const key = event.target.parentElement.getAttribute('data-key');
  const [job, task, attempt] = key.split('/');
  if (event.target.open) readLog(key, job, {task, attempt});
}, true);

function showWorkers(job) {
  const keys = {usual: (worker) => worker.name, name: (worker) => worker.name, attempts: (worker) => worker.attempts, failures: (worker) => worker.failed,
                mapped: (worker) => worker.mapped, speed: (worker) => (worker.seconds > 0 ? worker.mapped / worker.seconds : 0)};
  const all = workersFrom(job, attempts);
  const found = workerList.select(all, (worker) => worker.name, () => '', keys);
  workerList.show(found.shown.map(workerRow), found.matching, all.length);
}

let taskPage = {key: null, at: 0, answer: null};  // of a job whose tasks are not all here

function tasksChanged() {
  if (!shown) return;
  if (shown.task_list) return showTasks(shown);
  taskPage.at = 0;
  loop();
}

const kTaskPageAge = 5000;  // ms: the master looks for them

async function askForTasks(job) {
  const {search, state, first} = taskList.chosen;
  const query = new URLSearchParams({state, first: /^\d+$/.test(search) ? search : first, max: kPage});
  const key = job + query;
  if (taskPage.key === key && Date.now() - taskPage.at < kTaskPageAge) return taskPage.answer;
  const answer = await ask('api/jobs/' + job + '/tasks?' + query);
  taskPage = {key, at: Date.now(), answer};
  return answer;
}

function showTasks(job, answer) {
  taskList.search.placeholder = job.task_list ? 'Search' : 'Number of a task';
  if (!job.task_list) {
    if (!answer) return;
    show(taskList.table.tBodies[0], answer.tasks.map((task) => taskRow(task, job)));
    taskList.back.disabled = taskList.chosen.first === 0;
    taskList.on.disabled = answer.next === null;
    taskList.turn = (pages) => taskList.choose({first: pages < 0 ? Math.max(0, taskList.chosen.first - kPage) : answer.next || 0, search: ''});
    taskList.count.textContent = counted(job.tasks, 'task') + ' in all, in order of their numbers';
    return;
  }
  const keys = {usual: (task) => (task.state === 'done') * 1e9 + task.task, task: (task) => task.task, state: (task) => task.state, attempts: (task) => task.attempts.length,
                time: (task) => timeOf(task, job), worker: workersOf, path: (task) => task.path};
  const found = taskList.select(job.task_list, (task) => task.task + '\n' + task.path + '\n' + workersOf(task), (task) => task.state, keys);
  taskList.show(found.shown.map((task) => taskRow(task, job)), found.matching, job.task_list.length);
}

function showLongest(job) {
  const list = job.overview.longest.slice(0, 20);
  show($('longest'), list.map((attempt) => {
    const now = job.submitted_unix_ns + job.elapsed_seconds * 1e9;
    const item = element('li', 'task ' + grouped(attempt.task) + ', attempt ' + attempt.attempt + ' on ' + attempt.node_name + ': ' +
                         time(((attempt.ended_unix_ns || now) - attempt.launched_unix_ns) / 1e9) + ', ' + attempt.state);
    item.setAttribute('data-key', attempt.task + '/' + attempt.attempt);
    return item;
  }));
}

function showJob(job, tasks) {
  shown = job;
  attempts = job.task_list ? attemptsOf(job) : [];
  const title = [job.job + ': ' + (job.name ? job.name + ', ' : '') + job.application + ' '];
  if (!kReport) {
    title.push(element('a', 'all logs'));
    title[1].href = 'api/jobs/' + job.job + '/logs';
  }
  show($('job-title'), title);
  show($('facts'), facts(job).flatMap(([name, text]) => [element('dt', name), element('dd', text)]));
  $('overview-figures').hidden = !job.overview;
  $('each-attempt').hidden = Boolean(job.overview) || !job.task_list;
  showForecasts(job);
  if (job.overview) {
    showOverviewOf(job);
    showLongest(job);
  } else {
    showTimeline(job, attempts);
  }
  showFailures(job);
  showWorkers(job);
  showTasks(job, tasks);
}

const kPatience = 5000;  // ms

async function ask(path) {
  let response;
  try {
    response = await fetch(path, {signal: AbortSignal.timeout(kPatience)});
  } catch (error) {
    throw new Error(error.name === 'TimeoutError' ? "'ontime web' has not answered for " + time(kPatience / 1000) : "'ontime web' cannot be reached");
  }
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

let latest = 0;  // of the calls below; only this one may show something
let asOf = null;

async function askForJob(id) {
  // One that has ended stays as it is.
  const job = shown && shown.job === id && !isRunning(shown) && !$('job').hidden ? shown : await ask('api/jobs/' + id);
  return [job, job.task_list ? null : await askForTasks(id)];
}

async function refresh() {
  const call = ++latest;
  const wanted = /^#(job-\d+)$/.exec(location.hash);
  $('overview').hidden = Boolean(wanted);
  try {
    const [nodes, jobs, use, job] = await Promise.all(
        [ask('api/nodes' + nodeList.query()), ask('api/jobs' + jobList.query()), wanted ? null : ask('api/use'), wanted ? askForJob(wanted[1]) : null]);
    if (call !== latest) return false;
    showCluster(nodes, jobs);
    $('job').hidden = !wanted;
    if (job) showJob(...job);
    else showOverview(nodes, jobs, use);
    $('trouble').hidden = true;
    asOf = Date.now();
  } catch (error) {
    if (call !== latest) return false;
    $('job').hidden = !wanted || !shown || shown.job !== wanted[1];
    showTrouble(error.message);
  }
  return true;
}

function showTrouble(message) {
  $('cluster').textContent = asOf === null ? 'Nothing is known yet' : 'What is shown is as it was ' + time((Date.now() - asOf) / 1000) + ' ago';
  $('trouble').textContent = message;
  $('trouble').hidden = false;
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
  $('overview').hidden = true;
  $('job').hidden = false;
  showJob(kReport);
} else {
  addEventListener('hashchange', loop);
  loop();
}
