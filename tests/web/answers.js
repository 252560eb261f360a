'use strict';
// Answers of /api about a cluster that there is not: one with a job of 1,000,000 tasks that runs on 1,000 workers, and
// with small ones: job-11, which runs, and job-12, which has ended.

const kTasks = 1000000, kSteps = 160, kRows = 48, kPlaces = 400;
const kBegin = (Date.now() - 700e3) * 1e6;  // nanoseconds

const forecast = {pocd: 0.87, low_seconds: 900, median_seconds: 1000, high_seconds: 1100};

function job(number, more) {
  return {job: 'job-' + number, name: number % 3 ? 'nightly ' + number : null, state: 'running', application: 'wordcount', output: '/data/out/' + number, owner: 'alice', policy: 'split-resume',
    policy_parameters: {theta: '2s'}, parameters: {command: 'cat'}, parameters_text: 'command=cat', input_files: 30, inputs: ['/data/in/part-0'], files: [],
    lateness: 'at risk', due_unix_ns: kBegin + 1200e9, expected_end_unix_ns: kBegin + 1000e9, submitted_unix_ns: kBegin, ended_unix_ns: null, elapsed_seconds: 700, deadline_seconds: 1200, deadline_met: null,
    tasks: kTasks, tasks_done: 612345, input_bytes: 64e12, mapped_bytes: 40e12, waiting_for: null, attempts_running: 4000, attempts_launched: 630000, attempts_failed: 1200, message: '', forecast, ...more};
}

const attempt = (task, number, state) => ({task, attempt: number, node_name: 'worker-' + task % 100, state, start_offset: 0, offset: 1000, speculative: number > 0, message: state === 'failed' ? 'exit code 1: <b>no such file</b>' : '',
  launched_unix_ns: kBegin + task * 1e6, started_unix_ns: kBegin + task * 1e6 + 1e7, ended_unix_ns: state === 'running' ? null : kBegin + task * 1e6 + 2e9});

function overview(tick) {
  const rows = Array.from({length: kRows}, (_, row) => ({first_node: 'worker-' + row * 21, last_node: 'worker-' + (row * 21 + 20), nodes: 21, slots: 84, attempts: 13000, attempts_failed: row % 5 ? 0 : 9,
    mapped_bytes: 9e11, busy_seconds: 58000, busy_hundredths: Array.from({length: kSteps}, (_, step) => Math.round(8400 * Math.abs(Math.sin(row + step / 40 + tick / 100)))),
    failed: row % 5 ? [] : Array.from({length: kSteps}, (_, step) => step % 19 ? 0 : 2)}));
  const places = Array.from({length: kPlaces}, (_, place) => [place < 245 ? 2500 : 0, place >= 243 && place < 247 ? 1000 : 0, place % 50 ? 0 : 3]);
  return {made_seconds: 690, step_seconds: 4.4, running_thousandths: Array.from({length: kSteps}, (_, step) => Math.round(4e6 * Math.abs(Math.cos(step / 90)))), attempts: 630000, rows,
    tasks_in_place: 2500, places, failures: Array.from({length: 50}, (_, i) => attempt(600000 - i, 0, 'failed')), longest: Array.from({length: 50}, (_, i) => attempt(i, 0, 'running'))};
}

const forecasts = Array.from({length: 120}, (_, i) => ({at_seconds: i * 5.8, pocd: 0.6 + 0.3 * Math.sin(i / 30), low_seconds: 900 - i / 3, median_seconds: 1000, high_seconds: 1200 - i}));

const million = (tick) => job(1, {overview: overview(tick), forecasts, explanation: {held_nodes: [], decisions: [], tasks: [], tasks_left_out: 0, decisions_dropped: 0}});

// A task of the small job that runs: each second one of worker-1's tasks gets a copy.
function smallTask(index, tick) {
  const node_name = 'worker-' + [1, 2, 10][Math.floor(index / 40)];
  const begin = kBegin + index * 3e8;
  const ended_unix_ns = index < 3 ? null : begin + 2e9;
  const [state, end, lost] = index < 3 ? ['running', 'running', 'running'] : ['done', 'succeeded', 'killed'];
  const first = {...attempt(index, 0, end), node_name, launched_unix_ns: begin, ended_unix_ns};
  const second = {...first, attempt: 1, speculative: true, state: lost, launched_unix_ns: begin + 1e9};
  return {task: index, path: '/data/in/part-' + index, files: 1, begin: 0, end: 1000, state, segments: [],
    attempts: index === 0 || index > 3 && index <= tick ? [first, second] : [first]};
}

const decision = (at_seconds) => ({at_seconds, what: 'copy', text: 'a copy races', attempt: 0, attempts: [],
  pocd_before: 0.5, pocd_after: 0.99999});

const explained = (index, more) => ({task: index, decisions: [], clones: [], declined: null, ...more});

function smallExplanation(tick) {
  const tasks = [explained(0, {clones: [{attempt: 1, launched_seconds: 1}]}),
    explained(1, {declined: {text: 'no slot is free', since_seconds: 2, last_seconds: 3}}),
    explained(2, {decisions: [decision(20)]}), explained(3, {decisions: tick > 2 ? [decision(20)] : []})];
  const held_nodes = [{node_name: 'worker-2', cause: 'slow', since_seconds: 5, until_seconds: 60, is_over: false,
    reason: 'it took long'}];
  return {held_nodes, decisions: [], tasks, tasks_left_out: 7, decisions_dropped: 0};
}

const kSmall = 120;  // tasks

function smallJob(tick) {
  return job(11, {name: 'small', tasks: kSmall, elapsed_seconds: 39 + tick / 1000, deadline_seconds: 3600, policy: 'none',
    priority: 5, on_miss: 'kill', policy_problem: "the policy 'chosen' is missing; 'none' stands in",
    forecast: {...forecast, pocd: 0.99999, low_seconds: 45, median_seconds: 50, high_seconds: 55},
    forecasts: forecasts.slice(0, 5), explanation: smallExplanation(tick),
    task_list: Array.from({length: kSmall}, (_, i) => smallTask(i, tick))});
}

const endedJob = () => job(12, {name: 'ended', state: 'succeeded', lateness: null, due_unix_ns: null, expected_end_unix_ns: null, tasks: 2, elapsed_seconds: 39,
  ended_unix_ns: kBegin + 39e9, deadline_seconds: null, forecast: {...forecast, pocd: null},
  explanation: smallExplanation(0), task_list: [smallTask(4, 0), smallTask(5, 0)]});

// A page of the tasks of the large job.
function tasksFrom(first, state) {
  const tasks = [];
  for (; tasks.length < 50 && first < kTasks; ++first) {
    if (state === '' || task(first).state === state) tasks.push(task(first));
  }
  return {tasks, next: first < kTasks ? first : null};
}

function task(index) {
  return {task: index, path: '/data/in/part-' + index, files: 1, begin: 0, end: 1000, state: index % 7 ? 'done' : 'running',
    segments: [{begin: 0, end: 1000, state: index % 7 ? 'sealed' : 'open', attempt: index % 7 ? 0 : null}], attempts: [attempt(index, 0, index % 7 ? 'succeeded' : 'running')]};
}

const node = (number) => ({node: 'node-' + number, name: 'worker-' + number, host: 'host-' + number, state: 'live', slots: 4, busy: 4, silent_seconds: 0.1, attempts_failed: number % 9, speed: 1 - number % 4 / 10,
  machine: number % 7 ? {cores: 4, busy_cores: number % 5 * 0.9, memory_bytes: 8589934592, used_bytes: number % 8 * 1073741824} : null,
  hold: number % 50 ? null : {cause: 'slow', so_far_seconds: 10, left_seconds: 30, reason: 'its latest 5 attempts took twice as long'}});

// What is at that path of the API; undefined: nothing.
function answer(path, parameters, tick) {
  const first = Number(parameters.get('first') || 0);
  const page = (make, all) => Array.from({length: Math.min(50, all - first)}, (_, i) => make(first + i));
  if (path === '/api/nodes') return {nodes: page(node, 1000), matching: 1000, all: 1000, live: 1000, held_back: 20, slots: 4000, busy: 3900};
  if (path === '/api/jobs') return {jobs: page((i) => job(i + 1, i < 3 ? {} : {state: 'succeeded', deadline_met: true, forecast: undefined}), 300), matching: 300, all: 300, running: 3};
  if (path === '/api/use') {
    const {running_thousandths, step_seconds, made_seconds} = overview(tick);
    return {jobs: Array.from({length: 8}, (_, i) => ({job: 'job-' + (i + 1), name: 'nightly', state: i < 3 ? 'running' : 'succeeded', submitted_unix_ns: kBegin + i * 5e10, made_seconds: made_seconds - i * 50, step_seconds,
      running_thousandths: running_thousandths.map((count) => Math.round(count / (i + 2)))}))};
  }
  if (path === '/api/jobs/job-11') return smallJob(tick);
  if (path === '/api/jobs/job-12') return endedJob();
  if (/^\/api\/jobs\/job-\d+$/.test(path)) return million(tick);
  if (/^\/api\/jobs\/job-\d+\/tasks$/.test(path)) return tasksFrom(first, parameters.get('state'));
  if (/^\/api\/jobs\/job-\d+\/logs$/.test(path)) return {logs: [{task: 1, attempt: 0, node: 'worker-1', begin: 0, text: 'no such file\n'}], dropped: 0};
  return undefined;
}

module.exports = {answer, million};
