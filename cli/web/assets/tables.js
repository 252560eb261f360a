'use strict';
// Lists that are searched, filtered, sorted and shown a page at a time, and what stands in their cells.

const kPage = 50;  // rows

// A table with its controls, in a place of the page that is empty at first. What the visitor has chosen stays over
// refreshes; `changed` is called when it is something else.
class List {
  // columns: [key, title, {number, phone: false, unsorted}]
  constructor(place, title, columns, states, changed) {
    this.columns = columns;
    this.chosen = {search: '', state: '', sort: '', descending: false, first: 0};
    this.changed = changed;
    const search = this.search = element('input');
    search.type = 'search';
    search.placeholder = 'Search';
    search.setAttribute('aria-label', 'Search ' + title);
    search.addEventListener('input', () => this.choose({search: search.value.trim(), first: 0}));
    const state = this.state = element('select');
    state.setAttribute('aria-label', 'State of ' + title);
    for (const [value, text] of states) {
      const option = element('option', text);
      option.value = value;
      state.append(option);
    }
    this.chosen.state = states[0][0];
    state.addEventListener('change', () => this.choose({state: state.value, first: 0}));
    this.back = this.button('Previous', () => this.turn(-1));
    this.on = this.button('Next', () => this.turn(1));
    this.count = element('span', '', 'faint');
    const controls = element('p', undefined, 'controls');
    controls.append(search, state, this.back, this.on, this.count);
    this.table = element('table');
    this.table.append(element('thead'), element('tbody'));
    this.table.tHead.append(this.head());
    const scroll = element('div', undefined, 'scroll');
    scroll.setAttribute('role', 'region');
    scroll.setAttribute('tabindex', 0);
    scroll.setAttribute('aria-label', title);
    scroll.append(this.table);
    place.append(controls, scroll);
  }
  button(text, pressed) {
    const made = element('button', text);
    made.type = 'button';
    made.addEventListener('click', pressed);
    return made;
  }
  head() {
    const row = element('tr');
    for (const [key, title, how = {}] of this.columns) {
      const cell = element('th', undefined, (how.number ? 'number' : '') + (how.phone === false ? ' not-on-phones' : ''));
      cell.scope = 'col';
      if (how.tip) cell.title = how.tip;
      if (how.unsorted || this.isOrdered) cell.textContent = title;
      else cell.append(this.button(title, () => this.choose({sort: key, descending: this.chosen.sort === key && !this.chosen.descending, first: 0})));
      cell.setAttribute('data-column', key);
      row.append(cell);
    }
    return row;
  }
  // A list whose order is given has no buttons in its titles.
  setOrdered(isOrdered) {
    if (this.isOrdered === isOrdered) return;
    this.isOrdered = isOrdered;
    this.chosen.sort = '';
    this.table.tHead.replaceChildren(this.head());
  }
  // As it was at first, but for the order.
  reset() {
    this.search.value = '';
    this.state.selectedIndex = 0;
    Object.assign(this.chosen, {search: '', state: this.state.value, first: 0});
    show(this.table.tBodies[0], []);
  }
  choose(what) {
    Object.assign(this.chosen, what);
    for (const cell of this.table.tHead.rows[0].cells) {
      if (cell.dataset.column === this.chosen.sort) cell.setAttribute('aria-sort', this.chosen.descending ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    }
    this.changed();
  }
  turn(pages) {
    this.choose({first: Math.max(0, this.chosen.first + pages * kPage)});
  }
  query() {
    const {search, state, sort, descending, first} = this.chosen;
    return '?' + new URLSearchParams({search, state, sort, order: descending ? 'descending' : '', first, max: kPage});
  }
  // Of `matching` rows, those from the chosen one on.
  show(rows, matching, all) {
    show(this.table.tBodies[0], rows);
    const first = this.chosen.first;
    this.back.disabled = first === 0;
    this.on.disabled = first + rows.length >= matching;
    const these = rows.length === 0 ? 'none' : grouped(first + 1) + ' to ' + grouped(first + rows.length);
    tell(this.count, these + ' of ' + grouped(matching) + (matching === all ? '' : ', ' + grouped(all) + ' in all'));
    if (first >= matching) this.chosen.first = 0;  // there are fewer than there were
  }
  // Of rows that are all here: searched in, chosen by and sorted by what these say of one.
  select(items, textOf, stateOf, keys) {
    const {search, state, sort, descending} = this.chosen;
    const wanted = search.toLowerCase();
    const found = items.filter((item) => (state === '' || stateOf(item) === state) && textOf(item).toLowerCase().includes(wanted));
    const key = keys[sort] || keys.usual;
    const compare = (a, b) => (typeof a === 'string' ? byName(a, b) : a - b);
    found.sort((a, b) => (descending ? -1 : 1) * compare(key(a), key(b)));
    if (this.chosen.first >= found.length) this.chosen.first = 0;
    const first = this.chosen.first;
    return {matching: found.length, shown: found.slice(first, first + kPage)};
  }
}

// A row of cells, each a text, an element to stand in it, or a cell; `columns` as of the list.
function rowOf(key, columns, cells) {
  const row = element('tr');
  row.setAttribute('data-key', key);
  cells.forEach((content, i) => {
    const [, , how = {}] = columns[i];
    const cell = content instanceof HTMLTableCellElement ? content : element('td');
    if (cell !== content) cell.append(content);
    if (how.number) cell.classList.add('number');
    if (how.phone === false) cell.classList.add('not-on-phones');
    row.append(cell);
  });
  return row;
}

function pocd(job) {
  const value = job.forecast ? job.forecast.pocd : null;
  if (value === null || value === undefined) return '';
  return pocdText(value);
}

// As `ontime jobs` says it.
const kLatenessClass = {late: 'bad', 'at risk': 'warn', met: 'good'};

function deadlineText(job) {
  const left = job.deadline_seconds - job.elapsed_seconds;
  if (job.lateness === 'met') return 'met ' + time(left) + ' early';
  if (job.lateness === 'late') return left < 0 ? 'LATE ' + time(-left) : 'LATE, no result';
  return time(left) + ' left';
}

function deadline(job) {
  if (job.deadline_seconds === null) return element('td', 'none', 'faint');
  const cell = element('td', deadlineText(job), kLatenessClass[job.lateness]);
  cell.title = 'deadline ' + time(job.deadline_seconds) + ', ' + clock(job.due_unix_ns);
  return cell;
}

function bar(done, all, about) {
  const made = element('progress');
  made.setAttribute('max', Math.max(1, all));
  made.setAttribute('value', Math.min(done, Math.max(1, all)));
  made.setAttribute('aria-label', about);
  made.title = about;
  return made;
}

// What matters most of jobs with deadlines stands in front, where a phone shows it.
const kJobColumns = [['job', 'Job'], ['deadline', 'Deadline'], ['pocd', 'PoCD', {number: true, tip: 'probability that the job is done before its deadline'}],
  ['expected', 'Ends', {unsorted: true, phone: false, tip: 'when the job ended, or is expected to'}], ['state', 'State'], ['name', 'Name'],
  ['owner', 'Owner', {phone: false}], ['application', 'Application', {phone: false}], ['policy', 'Policy', {phone: false}], ['mapped', 'Mapped', {phone: false}],
  ['tasks', 'Tasks', {number: true, phone: false}], ['attempts', 'Attempts', {number: true, phone: false}], ['time', 'Time', {number: true}]];

function jobRow(job) {
  const link = element('a', job.job);
  link.href = '#' + job.job;
  const state = element('td', job.state, job.state === 'failed' ? 'bad' : '');
  if (job.message) state.title = job.message;
  const mapped = job.state === 'succeeded' ? job.input_bytes : job.mapped_bytes;
  const ends = element('td', shortClock(job.ended_unix_ns || job.expected_end_unix_ns));
  ends.title = (job.ended_unix_ns ? 'ended ' : 'expected ') + clock(job.ended_unix_ns || job.expected_end_unix_ns) + ', submitted ' + clock(job.submitted_unix_ns);
  const application = element('td', job.application);
  application.title = job.parameters_text;
  return rowOf(job.job, kJobColumns, [link, deadline(job), element('td', pocd(job), kLatenessClass[isRunning(job) ? job.lateness : '']),
    ends, state, job.name || '', job.owner || '', application,
    job.policy + (job.policy_chosen ? ': ' + job.policy_chosen : ''),
    bar(mapped, job.input_bytes, size(mapped) + ' of ' + size(job.input_bytes)), grouped(job.tasks_done) + ' / ' + grouped(job.tasks),
    grouped(job.attempts_launched) + (job.attempts_running ? ' (' + grouped(job.attempts_running) + ' run)' : ''), time(job.elapsed_seconds)]);
}

const kNodeColumns = [['name', 'Worker'], ['host', 'Host', {phone: false}], ['state', 'State'], ['slots', 'Slots'],
  ['cpu', 'CPU', {phone: false, tip: 'busy processors of those that it may use, by whatever uses them'}],
  ['memory', 'Memory', {phone: false, tip: 'in use, of what it may use'}], ['speed', 'Relative speed', {number: true, tip: 'of its latest attempts, against the usual attempt of the same jobs; 1: as fast'}],
  ['failures', 'Attempts failed', {number: true}], ['heard', 'Last heard of', {number: true}]];

function machineBar(of, all, text) {
  return all ? bar(of, all, text(of) + ' of ' + text(all) + ' in use') : '';
}

function nodeRow(node) {
  const state = element('td', node.state, node.hold || node.state === 'silent' || node.state === 'lost' ? 'bad' : '');
  if (node.hold) {
    state.textContent += ', left out as ' + node.hold.cause + ' for ' + time(node.hold.left_seconds) + ' more';
    state.title = node.hold.reason;
  }
  const slots = element('td');
  slots.append(bar(node.busy, node.slots, node.busy + ' of ' + counted(node.slots, 'slot') + ' busy'), ' ' + node.busy + ' / ' + node.slots);
  const use = node.machine || {};
  return rowOf(node.node, kNodeColumns, [node.name, node.host, state, slots, machineBar(use.busy_cores, use.cores, (cores) => cores.toFixed(1) + ' processors'),
    machineBar(use.used_bytes, use.memory_bytes, size), node.speed === null ? '' : node.speed.toFixed(2) + ' ×',
    grouped(node.attempts_failed), time(node.silent_seconds) + ' ago']);
}

const kTaskColumns = [['task', 'Task', {number: true}], ['state', 'State'], ['split', 'Split', {unsorted: true}], ['attempts', 'Attempts', {number: true}],
  ['time', 'Time', {number: true}], ['worker', 'Worker', {phone: false}], ['path', 'File', {phone: false}]];

function splitBar(task) {
  const svg = shape('svg', {viewBox: '0 0 1000 10', preserveAspectRatio: 'none', class: 'split', role: 'img', 'aria-label': 'split ' + task.task});
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

// From the launch of the first attempt to the end of the last one.
function timeOf(task, job) {
  if (task.attempts.length === 0) return 0;
  const now = job.submitted_unix_ns + job.elapsed_seconds * 1e9;
  const begin = Math.min(...task.attempts.map((attempt) => attempt.launched_unix_ns));
  return (Math.max(...task.attempts.map((attempt) => attempt.ended_unix_ns || now)) - begin) / 1e9;
}

const workersOf = (task) => [...new Set(task.attempts.map((attempt) => attempt.node_name))].join(', ');

function taskRow(task, job) {
  const reached = Math.max(0, ...task.attempts.map((attempt) => attempt.offset));
  const split = task.end === null ? element('span', size(reached) + ' decompressed; nobody knows yet how much there is', 'faint') : splitBar(task);
  const path = element('td', shortPath(task.path) + (task.files > 1 ? ' and ' + counted(task.files - 1, 'more file') : ''));
  path.title = task.path;
  return rowOf(task.task, kTaskColumns, [grouped(task.task), task.state, split, grouped(task.attempts.length), time(timeOf(task, job)), workersOf(task), path]);
}

const kWorkerColumns = [['name', 'Worker'], ['attempts', 'Attempts', {number: true}], ['failures', 'Failed', {number: true}], ['mapped', 'Mapped', {number: true}],
  ['speed', 'Speed of a slot', {number: true}]];

// Of one worker by its name, which shows the tasks that it had attempts of; rows of several stand as text.
function workerRow(worker, hasTasks) {
  const name = element(hasTasks ? 'button' : 'span', worker.name, hasTasks ? 'link' : '');
  if (hasTasks) name.title = 'show its tasks';
  return rowOf(worker.name, kWorkerColumns, [name, grouped(worker.attempts), grouped(worker.failed), size(worker.mapped),
    worker.seconds > 0 ? size(worker.mapped / worker.seconds) + '/s' : '']);
}

// What each worker did for the job.
function workersFrom(job, attempts) {
  if (job.overview) {
    return job.overview.rows.map((row) => ({name: nodesOf(row), attempts: row.attempts, failed: row.attempts_failed, mapped: row.mapped_bytes, seconds: row.busy_seconds}));
  }
  return byNode(attempts).map(([name, all]) => ({
    name,
    attempts: all.length,
    failed: all.filter((attempt) => attempt.state === 'failed').length,
    mapped: all.reduce((sum, attempt) => sum + Math.max(0, attempt.offset - attempt.start_offset), 0),
    seconds: all.reduce((sum, attempt) => sum + attempt.to - attempt.from, 0)
  }));
}
