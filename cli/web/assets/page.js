'use strict';
// Shows what /api tells, once a second; in a report (cli/web/report_page.h) the one job that it holds.

const kReport = $('report') ? JSON.parse($('report').textContent) : null;

const isRunning = (job) => job.state === 'queued' || job.state === 'running' || job.state === 'committing';

const statesOf = (...names) => names.map((name) => [name, name]);

const jobList = new List($('jobs'), 'jobs', kJobColumns,
    [['', 'all states'], ['open', 'not ended'], ['late', 'late or at risk'],
     ...statesOf('queued', 'running', 'committing', 'succeeded', 'failed', 'killed')], () => loop());
const nodeList = new List($('nodes'), 'workers', kNodeColumns,
    [['here', 'all but gone'], ['', 'all states'], ['live', 'live'], ['held', 'left out'], ['draining', 'draining'], ['drained', 'drained'], ['silent', 'silent'], ['lost', 'lost'], ['left', 'left']], () => loop());

// The tasks of a job. Those of a large one come a page at a time, in order of their numbers: only the answer knows
// where the next page begins, and how one came here is remembered.
class TaskList extends List {
  constructor() {
    const states = [['', 'all states'], ...statesOf('waiting', 'running', 'done', 'unfinished')];
    super($('task-list'), 'tasks', kTaskColumns, states, () => tasksChanged());
    this.earlier = [];  // where the pages before this one begin
    this.next = null;
  }
  // The number that is searched for, in either way of writing it; NaN: none.
  get number() {
    const text = this.chosen.search.replaceAll(',', '');
    return /^\d+$/.test(text) ? Number(text) : NaN;
  }
  get begin() {
    return this.number < shown.tasks ? this.number : this.chosen.first;
  }
  choose(what) {
    if ('state' in what || 'search' in what) this.earlier = [];
    super.choose(what);
  }
  turn(pages) {
    if (shown.task_list) return super.turn(pages);
    if (pages > 0 && this.next === null) return;  // the answer is still to come
    const earlier = pages > 0 ? [...this.earlier, this.begin] : this.earlier.slice(0, -1);
    const first = pages > 0 ? this.next : this.earlier.at(-1) || 0;
    this.search.value = '';
    this.choose({first, search: ''});
    this.earlier = earlier;
    this.next = null;
  }
  reset() {
    super.reset();
    this.earlier = [];
  }
  showPage(answer) {
    show(this.table.tBodies[0], answer.tasks.map((task) => taskRow(task, shown)));
    this.next = answer.next;
    this.back.disabled = this.begin === 0;
    this.on.disabled = answer.next === null;
    tell(this.count, this.problem() || counted(shown.tasks, 'task') + ' in all, in order of their numbers');
  }
  problem() {
    if (this.chosen.search === '') return '';
    if (isNaN(this.number)) return 'only the number of a task can be searched for';
    return this.number < shown.tasks ? '' : 'there is no such task, only 0 to ' + grouped(shown.tasks - 1);
  }
}

const taskList = new TaskList();
const workerList = new List($('workers'), 'workers of the job', kWorkerColumns, [['', 'all']], () => shown && showWorkers(shown));

let shown = null;  // the job that is
let attempts = [];  // of it, if each is drawn

function showOverview(nodes, jobs, use) {
  jobList.show(jobs.jobs.map(jobRow), jobs.matching, jobs.all);
  $('no-jobs').hidden = jobs.all > 0;
  nodeList.show(nodes.nodes.map(nodeRow), nodes.matching, nodes.all);
  showUse(use.jobs, nodes.slots, jobs.all);
}

function showCluster(nodes, jobs) {
  const held = nodes.held_back ? grouped(nodes.held_back) + ' of them left out, ' : '';
  tell($('cluster'), counted(nodes.live, 'worker') + ', ' + held + grouped(nodes.busy) + ' of ' + grouped(nodes.slots) +
      ' slots busy, ' + counted(jobs.running, 'job') + ' not ended');
}

// In the words of `ontime job`.
const kAccountParts = {
  useful: 'useful', duplicated: 'duplicated', dropped: 'dropped', open: 'not sealed yet', launch: 'launching', standby: 'standing by'
};

function spentOn(parts, show) {
  const named = Object.entries(kAccountParts).filter(([key]) => parts[key] > 0).map(([key, name]) => name + ' ' + show(parts[key]));
  return named.length === 0 ? '' : ': ' + named.join(', ');
}

function timeText(job) {
  if (job.deadline_seconds === null) return time(job.elapsed_seconds);
  const kill = job.on_miss === 'kill' && isRunning(job) ? '; the job is killed then' : '';
  return time(job.elapsed_seconds) + ', deadline ' + time(job.deadline_seconds) + ' (' + deadlineText(job) + ')' + kill;
}

// Without a deadline there is no PoCD.
function forecastText(job) {
  const {median_seconds: median, low_seconds: low, high_seconds: high} = job.forecast;
  const likely = job.deadline_seconds === null ? [] : ['PoCD ' + (pocd(job) || 'unknown')];
  const end = median === null || median === undefined ? [] : ['done after ' + time(low) + ' to ' + time(high)];
  return [...likely, ...end].join(', ');
}

const settingsText = (settings) => Object.entries(settings).map((setting) => setting.join('=')).join(', ');

// What the job was, and when.
function identity(job) {
  const more = job.input_files - job.inputs.length;
  return [['Parameters', settingsText(job.parameters)],
          ['Files', job.inputs.join(', ') + (more > 0 ? ' and ' + grouped(more) + ' more' : '')],
          ['Sent along', job.files.join(', ')], ['Submitted', clock(job.submitted_unix_ns)], ['Due', clock(job.due_unix_ns)],
          ['Expected end', clock(job.expected_end_unix_ns)], ['Ended', clock(job.ended_unix_ns)]];
}

// Names and texts; a third is a warning.
function facts(job) {
  const parameters = settingsText(job.policy_parameters);
  const policy = job.policy + (job.policy_chosen ? ' (' + job.policy_chosen + ')' : '');
  const list = [['State', job.state + (job.message ? ': ' + job.message : '') + (job.waiting_for ? ', waits for ' + job.waiting_for : '')],
                ['Owner', job.owner], ...identity(job), ['Priority', job.priority ? String(job.priority) : ''],
                ['Policy', policy + ' ' + parameters, job.policy_problem], ['Choice', job.policy_choice || ''], ['Slower', job.policy_harm || ''],
                ['Input', size(job.input_bytes) + ' in ' + counted(job.tasks, 'split') + ', ' + grouped(job.tasks_done) + ' done'],
                ['Attempts', grouped(job.attempts_launched) + ' launched, ' + grouped(job.attempts_running) + ' running, ' + grouped(job.attempts_failed) + ' failed'],
                ['Time', timeText(job)], ['Output', job.output], ['Forecast', job.forecast ? forecastText(job) : '']];
  if (job.account) {
    const {bytes, machine_ns: machine} = job.account;
    const ofSlots = (ns) => time(ns / 1e9);
    list.push(['Mapped', size(bytes.mapped) + spentOn(bytes, size)], ['Machine time', ofSlots(machine.total) + spentOn(machine, ofSlots)]);
  }
  return list.filter(([, text]) => text);
}

function factElements([name, text, warning]) {
  const told = element('dd', text);
  if (warning) told.append(element('span', warning, 'bad message'));
  return [element('dt', name), told];
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
  const isPart = job.attempts_failed > failed.length;
  tell($('more-failed'), isPart ? 'The latest ' + failed.length + ' of ' + grouped(job.attempts_failed) + '.' : '');
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
  workerList.show(found.shown.map((worker) => workerRow(worker, Boolean(job.task_list))), found.matching, all.length);
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
  const query = new URLSearchParams({state: taskList.chosen.state, first: taskList.begin, max: kPage});
  const key = job + query;
  if (taskPage.key === key && Date.now() - taskPage.at < kTaskPageAge) return taskPage.answer;
  const answer = await ask('api/jobs/' + job + '/tasks?' + query);
  taskPage = {key, at: Date.now(), answer};
  return answer;
}

function showTasks(job) {
  $('tasks-section').hidden = Boolean(kReport) && !job.task_list;  // too many to be in a file
  taskList.search.placeholder = job.task_list ? 'Search' : 'Number of a task';
  taskList.setOrdered(!job.task_list);
  if (!job.task_list) return;  // they come a page at a time
  const keys = {usual: (task) => (task.state === 'done') * 1e9 + task.task, task: (task) => task.task, state: (task) => task.state, attempts: (task) => task.attempts.length,
                time: (task) => timeOf(task, job), worker: workersOf, path: (task) => task.path};
  const textOf = (task) => task.task + '\n' + task.path + '\n' + task.attempts.map(onWorker).join('');
  const found = taskList.select(job.task_list, textOf, (task) => task.state, keys);
  taskList.show(found.shown.map((task) => taskRow(task, job)), found.matching, job.task_list.length);
}

// A text to search for that is in no other worker's.
const onWorker = (attempt) => 'on ' + attempt.node_name + ';';

$('workers').addEventListener('click', (event) => {
  if (!event.target.matches('button.link')) return;
  taskList.reset();
  taskList.search.value = onWorker({node_name: event.target.textContent});
  taskList.choose({search: taskList.search.value});
  $('tasks-section').scrollIntoView();
});

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

// What was chosen and searched for in another job says nothing about this one.
function turnTo(job) {
  if (shown && shown.job !== job.job) {
    for (const list of [taskList, workerList]) list.reset();
    for (const teller of [heatTeller, placeTeller]) teller.forget();
    forgetChosen();
  }
  shown = job;
}

// What there is of a job as a file; the trace of a large one is too large.
function filesOf(job) {
  const files = [['logs.txt', 'Logs of all attempts'], ['report', 'Report'], ...(job.task_list ? [['trace', 'Trace for ui.perfetto.dev']] : [])];
  return files.map(([path, text]) => {
    const item = element('li'), link = element('a', text);
    link.href = 'api/jobs/' + job.job + '/' + path;
    item.append(link);
    return item;
  });
}

function showJob(job) {
  turnTo(job);
  attempts = job.task_list ? attemptsOf(job) : [];
  const title = [job.job + ': ' + (job.name ? job.name + ', ' : '') + job.application];
  show($('job-title'), title);
  $('job-files').hidden = Boolean(kReport);
  if (!kReport) show($('job-files'), filesOf(job));
  show($('facts'), facts(job).flatMap(factElements));
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
  showTasks(job);
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

async function refreshCluster(call, withOverview) {
  const [nodes, jobs, use] = await Promise.all(
      [ask('api/nodes' + nodeList.query()), ask('api/jobs' + jobList.query()), withOverview && ask('api/use')]);
  if (call !== latest) return;
  showCluster(nodes, jobs);
  if (withOverview) showOverview(nodes, jobs, use);
  asOf = Date.now();
}

async function refreshJob(call, id) {
  // One that has ended stays as it is.
  const job = shown && shown.job === id && !isRunning(shown) && !$('job').hidden ? shown : await ask('api/jobs/' + id);
  if (call !== latest) return;
  $('job').hidden = false;
  showJob(job);
  if (job.task_list) return;
  const tasks = await askForTasks(job.job);
  if (call === latest) taskList.showPage(tasks);
}

async function refresh() {
  const call = ++latest;
  const wanted = /^#(job-\d+)$/.exec(location.hash);
  const isKnown = () => wanted && shown && shown.job === wanted[1];
  $('overview').hidden = Boolean(wanted);
  if (!isKnown()) $('job').hidden = true;
  const [cluster, job] = await Promise.allSettled(
      [refreshCluster(call, !wanted), wanted && refreshJob(call, wanted[1])]);
  if (call !== latest) return false;
  if (cluster.reason) tellAge();
  if (job.reason) $('job').hidden = !isKnown();
  showTrouble(cluster.reason || job.reason);
  return true;
}

function tellAge() {
  const age = time((Date.now() - asOf) / 1000);
  tell($('cluster'), asOf === null ? 'Nothing is known yet' : 'What is shown is as it was ' + age + ' ago');
}

function showTrouble(error) {
  if (error) tell($('trouble'), error.message);
  $('trouble').hidden = !error;
}

addEventListener('resize', () => shown && !$('job').hidden && showJob(shown));

let timer = 0;
async function loop() {
  if (kReport) return;  // there is nobody to ask
  clearTimeout(timer);
  if (!await refresh()) return;  // a later call goes on
  timer = setTimeout(loop, document.hidden ? 5000 : 1000);
}

if (kReport) {
  document.title = kReport.job + ', ' + kReport.application;
  const submitted = clock(kReport.submitted_unix_ns);
  tell($('cluster'), submitted ? 'Report of a job that was submitted ' + submitted : 'Report of a simulated job');
  $('overview').hidden = true;
  $('job').hidden = false;
  showJob(kReport);
} else {
  addEventListener('hashchange', loop);
  loop();
}
