'use strict';
// Figures over time: the slots that jobs use, and what was expected of a job.

// In a small window a figure is drawn narrower, so that its text does not shrink with it.
const chartWidth = () => Math.min(1000, Math.max(320, document.body.clientWidth - 32));

// Where an instant (or any other number from `begin` on) is drawn. All figures leave the same room for names on the
// left, so that times stand below one another.
function axisOf(begin, end) {
  const span = Math.max(end - begin, 1e-9);
  const width = chartWidth();
  const left = width < 500 ? 84 : 120;
  return {begin, end, width, left, x: (at) => left + (width - left - 10) * Math.min(1, Math.max(0, (at - begin) / span))};
}

// Across the figure; `kind` is its class and its key.
function levelLine(axis, y, kind, text) {
  return shape('line', {x1: axis.left, x2: axis.width - 10, y1: y, y2: y, class: kind, 'data-key': kind + y}, text);
}

// A name left of the axis.
const levelName = (axis, text, y) => label(text, {x: axis.left - 6, y, 'text-anchor': 'end', 'data-key': 'name ' + y});

// A number of seconds that people count in, at least `least`.
function roundStep(least) {
  const round = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const found = round.find((step) => step >= least);
  if (found && least > 0.5) return found;
  const power = 10 ** Math.floor(Math.log10(least));  // below a second, and in days
  return power * [1, 2, 5, 10].find((factor) => factor * power >= least * 0.999);
}

const roundTime = (seconds) => time(seconds).replace(/\.0 s$/, ' s').replace(/ 0[ms]$/, '');

// Names of instants a round step apart, counted from `zero`.
function ticks(axis, y, text = roundTime, zero = 0) {
  const step = roundStep((axis.end - axis.begin) / (axis.width < 500 ? 3 : 6));
  const drawn = [];
  for (let tick = Math.ceil((axis.begin - zero) / step - 1e-6); zero + tick * step <= axis.end + step * 1e-6; ++tick) {
    const at = zero + tick * step, x = axis.x(at);
    const anchor = x > axis.width - 30 ? 'end' : x < axis.left + 15 ? 'start' : 'middle';
    drawn.push(label(text(at), {x, y, 'text-anchor': anchor, 'data-key': 'tick ' + tick}));
  }
  return drawn;
}

const kFresh = 2;  // seconds; sums of what runs are this old at times
const kIdleSpans = 20;  // after so many times the last use that nothing ran, that use could not be seen

// The part of time that the chart shows: until now, since the first job was submitted that runs, or else the last one.
function useWindow(jobs, now) {
  const last = Math.max(...jobs.map((job) => job.end));
  const shown = jobs.filter((job) => isRunning(job) || job.end === last);
  const span = Math.max(10, ...shown.map((job) => last - job.begin));
  const end = now - last < kFresh || now - last > kIdleSpans * span ? last : now;
  return axisOf(end - 1.2 * (end - last + span), end);
}

const kUseColumns = 160;

// How many attempts of each job ran in each column, as [below, above] in the stack. Means over steps of different
// lengths may add up to more than there are.
function useStack(jobs, axis, slots) {
  const most = slots || Infinity;
  const below = new Array(kUseColumns).fill(0);
  return jobs.map((job) => below.map((_, column) => {
    const at = axis.begin + (axis.end - axis.begin) * (column + 0.5) / kUseColumns - job.begin;
    const step = Math.floor(at / job.step_seconds);
    const runs = at >= 0 && at <= job.made_seconds ? (job.running_thousandths[step] || 0) / 1000 : 0;
    return [below[column], below[column] = Math.min(most, below[column] + runs)];
  }));
}

function areaOf(columns, x, y) {
  const points = columns.map(([, above], i) => x(i) + ' ' + y(above));
  const back = columns.map(([under], i) => x(i) + ' ' + y(under)).reverse();
  return 'M' + points.join('L') + 'L' + back.join('L') + 'Z';
}

const kPatterns = 6;  // colours in the style sheet; neighbours in the stack differ, in the order of the key

const kUseHeight = 120;

function timesOf(job) {
  const begin = job.submitted_unix_ns / 1e9;
  return {...job, begin, end: begin + job.made_seconds};
}

// `all`: how many jobs there are, of which the answer may hold only some.
function showUse(use, slots, all) {
  $('use-section').hidden = use.length === 0;
  if (use.length === 0) return;
  const jobs = use.map(timesOf);
  const now = Date.now() / 1000;
  const axis = useWindow(jobs, now);
  const inSight = jobs.filter((job) => job.end >= axis.begin);
  drawUse(inSight, axis, slots, now);
  show($('use-key'), inSight.map(useKeyItem));
  $('use-left-out').hidden = inSight.length < use.length || all <= use.length;
  const part = 'Of ' + counted(all, 'job') + ' only ' + use.length;
  tell($('use-left-out'), part + ' are drawn: the newest that run, then those that ended last.');
}

function drawUse(jobs, axis, slots, now) {
  const stack = useStack(jobs, axis, slots);
  const most = Math.max(slots, 1, ...stack.flat().map(([, above]) => above));
  const x = (column) => axis.x(axis.begin + (axis.end - axis.begin) * (column + 0.5) / kUseColumns).toFixed(1);
  const y = (count) => (kUseHeight - (kUseHeight - 12) * count / most).toFixed(1);
  const drawn = stack.map((columns, i) => {
    const {job, name} = jobs[i];
    const area = {d: areaOf(columns, x, y), class: 'use use-' + i % kPatterns, 'data-key': job};
    return shape('path', area, job + ' ' + name);
  });
  if (slots > 0) drawn.push(levelLine(axis, y(slots), 'limit', counted(slots, 'slot')));
  drawn.push(levelName(axis, grouped(Math.round(most)), 16), levelName(axis, '0', kUseHeight));
  const zero = now - axis.end < kFresh ? axis.end : now;
  drawn.push(...ticks(axis, kUseHeight + 16, (at) => (zero - at < 0.001 ? 'now' : '−' + roundTime(zero - at)), zero));
  $('use').setAttribute('viewBox', '0 0 ' + axis.width + ' ' + (kUseHeight + 20));
  show($('use'), drawn);
}

function useKeyItem(job, i) {
  const item = element('li');
  item.setAttribute('data-key', job.job);
  const link = element('a', job.job + (job.name ? ' ' + job.name : ''));
  link.href = '#' + job.job;
  item.append(element('span', undefined, 'swatch swatch-' + i % kPatterns), link);
  return item;
}

const forecastFigure = new Figure($('forecast'));

// PoCD and the expected end, as forecasts and decisions told them, over the same time as the attempts below.
function showForecasts(job) {
  const points = (job.forecasts || []).filter((point) => point.pocd !== null || point.median_seconds !== null);
  $('forecast-section').hidden = points.length === 0;
  if (points.length === 0) return;
  const axis = timelineAxis(job);
  const drawn = [];
  const likely = points.filter((point) => point.pocd !== null);
  let y = 0;
  if (likely.length > 0) {
    drawn.push(...pocdLine(likely, axis));
    y = 90;
  }
  const ends = points.filter((point) => point.median_seconds !== null);
  if (ends.length > 0) {
    drawn.push(...endBand(job, ends, axis, y));
    y += 130;
  }
  drawn.push(...ticks(axis, y + 16));
  $('forecast').setAttribute('viewBox', '0 0 ' + axis.width + ' ' + (y + 20));
  forecastFigure.show(drawn);
}

function pocdLine(points, axis) {
  const y = (value) => 74 - 64 * value;
  const path = 'M' + points.map((point) => axis.x(point.at_seconds).toFixed(1) + ' ' + y(point.pocd).toFixed(1)).join('L');
  return [levelName(axis, 'PoCD 1', 14), levelName(axis, '0', 76), levelLine(axis, y(0), 'axis'), levelLine(axis, y(1), 'axis'),
          shape('path', {d: path, class: 'likely', 'data-key': 'PoCD'}, 'Probability to be in time'),
          ...points.map((point) => pocdPoint(point, axis, y))];
}

function pocdPoint({at_seconds: at, pocd}, axis, y) {
  const text = 'after ' + time(at) + ': PoCD ' + pocdText(pocd);
  return choosable(shape('circle', {cx: axis.x(at), cy: y(pocd), r: 3, class: 'likely-point'}, text), 'pocd ' + at);
}

// The band from low to high, which is left out where somebody stands still and there is no telling.
function endBand(job, points, axis, top) {
  const bounds = points.flatMap((point) => [point.low_seconds, point.high_seconds, point.median_seconds]).filter((at) => at !== null);
  const farthest = job.deadline_seconds === null ? Infinity : 3 * job.deadline_seconds;  // so that the deadline is seen
  const most = Math.min(farthest, Math.max(job.deadline_seconds || 0, ...bounds) * 1.05);
  const y = (seconds) => top + 120 - 105 * Math.min(seconds, most) / most;
  const x = (point) => axis.x(point.at_seconds).toFixed(1);
  const banded = points.filter((point) => point.low_seconds !== null && point.high_seconds !== null);
  const drawn = [label('end', {x: 0, y: top + 14, 'data-key': 'end'}), levelName(axis, time(most), top + 19),
                 levelLine(axis, y(0), 'axis')];
  if (banded.length > 0) {
    const above = banded.map((point) => x(point) + ' ' + y(point.high_seconds).toFixed(1));
    const below = banded.map((point) => x(point) + ' ' + y(point.low_seconds).toFixed(1)).reverse();
    const path = 'M' + above.concat(below).join('L') + 'Z';
    drawn.push(shape('path', {d: path, class: 'band', 'data-key': 'band'}, 'The end, with probability 0.8'));
  }
  const expected = points.map((point) => x(point) + ' ' + y(point.median_seconds).toFixed(1));
  drawn.push(shape('path', {d: 'M' + expected.join('L'), class: 'likely', 'data-key': 'expected'}, 'The expected end'));
  if (job.deadline_seconds !== null) {
    const due = y(job.deadline_seconds);
    drawn.push(levelLine(axis, due, 'deadline', 'deadline'));
    drawn.push(label('deadline', {x: axis.width - 14, y: due - 3, 'text-anchor': 'end', 'data-key': 'its name'}));
  }
  return drawn;
}

// How many attempts ran, in the mean of each step.
function showRunning(overview) {
  const height = 50;
  const end = overview.made_seconds;
  const axis = axisOf(0, end);
  const counts = overview.running_thousandths.map((count) => count / 1000);
  const most = Math.max(1, ...counts);
  let path = 'M' + axis.x(0) + ' ' + height;
  counts.forEach((count, step) => {
    const from = step * overview.step_seconds;
    if (from < end) path += 'H' + axis.x(from).toFixed(1) + 'V' + (height - (height - 8) * count / most).toFixed(1);
  });
  path += 'H' + axis.x(end).toFixed(1) + 'V' + height;
  $('running').setAttribute('viewBox', '0 0 ' + axis.width + ' ' + (height + 20));
  const area = {d: path, class: 'running-area', 'data-key': 'running'};
  show($('running'), [shape('path', area, 'attempts running, at most ' + most.toFixed(1)),
                      levelName(axis, grouped(Math.round(most)), 12), levelName(axis, '0', height),
                      ...ticks(axis, height + 16)]);
}
