'use strict';
// A job of too many attempts to draw each: how busy its workers were over time, and what is done of its input, as sums
// in cells of a canvas.

const kCellRow = 14;
const kNames = 110;  // pixels

// A canvas as wide as its place, sharp on any screen.
function canvasOf(canvas, height) {
  const scale = devicePixelRatio || 1;
  const width = Math.max(200, canvas.parentElement.clientWidth);
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = height + 'px';
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = '11px system-ui, sans-serif';
  return {pen, width};
}

const nodesOf = (row) => (row.nodes === 1 ? row.first_node : row.first_node + ' to ' + row.last_node);

// How many steps of the axis have passed.
const stepsOf = (overview) => Math.min(overview.running_thousandths.length, Math.max(1, Math.ceil(overview.made_seconds / overview.step_seconds)));

function drawHeat(overview) {
  const rows = overview.rows;
  const height = rows.length * kCellRow + 18;
  const {pen, width} = canvasOf($('heat'), height);
  const steps = stepsOf(overview);
  const cell = (width - kNames) / steps;
  const left = (step) => Math.floor(kNames + step * cell);
  const ink = colour('faint'), busy = colour('useful'), bad = colour('bad');
  rows.forEach((row, i) => {
    pen.fillStyle = ink;
    pen.fillText(nodesOf(row), 0, i * kCellRow + 11, kNames - 8);
    pen.fillStyle = busy;
    for (let step = 0; step < steps; ++step) {
      const share = row.busy_hundredths[step] / 100 / Math.max(1, row.slots);
      if (share <= 0) continue;
      pen.globalAlpha = 0.15 + 0.85 * Math.min(1, share);
      pen.fillRect(left(step), i * kCellRow, left(step + 1) - left(step), kCellRow - 2);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = bad;
    row.failed.forEach((count, step) => {
      if (count > 0) pen.fillRect(left(step), i * kCellRow + 7, Math.max(2, left(step + 1) - left(step)), 5);
    });
  });
  pen.fillStyle = ink;
  const end = steps * overview.step_seconds, step = roundStep(end / (width < 500 ? 3 : 6));
  for (let at = 0; at <= end; at += step) {
    const x = kNames + (width - kNames) * at / end;
    pen.textAlign = at === 0 ? 'left' : x > width - 30 ? 'right' : 'center';
    pen.fillText(roundTime(at), x, height - 4);
  }
  pen.textAlign = 'left';
  return (x, y) => {
    const row = Math.floor(y / kCellRow), step = Math.floor((x - kNames) / cell);
    return row < 0 || row >= rows.length || step < 0 || step >= steps ? null : {row, step};
  };
}

function heatText(overview, {row, step}) {
  const shown = overview.rows[row];
  const failed = shown.failed[step] || 0;
  return nodesOf(shown) + ', ' + time(step * overview.step_seconds) + ' to ' + time((step + 1) * overview.step_seconds) + ': ' +
      (shown.busy_hundredths[step] / 100).toFixed(1) + ' of ' + counted(shown.slots, 'slot') + ' in use' + (failed ? ', ' + counted(failed, 'attempt') + ' failed' : '');
}

const kPlaceSize = 14;

function drawPlaces(job) {
  const {places, tasks_in_place} = job.overview;
  const columns = Math.max(1, Math.floor(Math.max(200, $('places').parentElement.clientWidth) / kPlaceSize));
  const {pen} = canvasOf($('places'), Math.ceil(places.length / columns) * kPlaceSize);
  const done = colour('useful'), line = colour('line'), ink = colour('ink'), bad = colour('bad');
  places.forEach(([finished, running, failed], i) => {
    const all = Math.min(tasks_in_place, job.tasks - i * tasks_in_place);
    const x = i % columns * kPlaceSize, y = Math.floor(i / columns) * kPlaceSize, side = kPlaceSize - 2;
    pen.fillStyle = line;
    pen.fillRect(x, y, side, side);
    pen.fillStyle = done;
    const filled = Math.round(side * finished / Math.max(1, all));
    pen.fillRect(x, y + side - filled, side, filled);
    pen.fillStyle = bad;
    if (failed > 0) pen.fillRect(x, y, side, 3);
    pen.strokeStyle = ink;
    if (running > 0) pen.strokeRect(x + .5, y + .5, side - 1, side - 1);
  });
  return (x, y) => {
    const column = Math.floor(x / kPlaceSize), place = Math.floor(y / kPlaceSize) * columns + column;
    return column < 0 || column >= columns || place < 0 || place >= places.length ? null : place;
  };
}

function placeText(job, place) {
  const {places, tasks_in_place} = job.overview;
  const first = place * tasks_in_place;
  const all = Math.min(tasks_in_place, job.tasks - first);
  const [done, running, failed] = places[place];
  return (all === 1 ? 'task ' + grouped(first) : 'tasks ' + grouped(first) + ' to ' + grouped(first + all - 1)) + ': ' + grouped(done) + ' of ' + grouped(all) + ' done' +
      (running ? ', ' + grouped(running) + ' running' : '') + (failed ? ', ' + counted(failed, 'attempt') + ' failed' : '');
}

// What a canvas tells of the cell that was pointed at, or that arrow keys have moved to.
class CellTeller {
  constructor(canvas, told, columnsOf) {
    this.canvas = canvas;
    this.told = told;
    this.usual = told.textContent;
    for (const event of ['pointermove', 'click']) canvas.addEventListener(event, (at) => this.point(at.offsetX, at.offsetY));
    canvas.addEventListener('keydown', (event) => {
      const move = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
      if (!move || !this.find) return;
      event.preventDefault();
      const [width, height] = columnsOf();
      const [x, y] = this.at || [this.canvas.clientWidth / 2, height / 2];
      const next = [x + move[0] * width, y + move[1] * height];
      if (this.find(...next) !== null) this.point(...next);
    });
  }
  forget() {
    this.at = undefined;
    tell(this.told, this.usual);
  }
  point(x, y) {
    this.at = [x, y];
    this.say();
  }
  // `find` says which cell is where, `text` what is to be told of it.
  set(find, text) {
    this.find = find;
    this.text = text;
    if (this.at) this.say();
  }
  say() {
    const cell = this.find(...this.at);
    if (cell !== null) tell(this.told, this.text(cell));
  }
}

let drawn = null;  // the job whose overview is shown
const heatTeller = new CellTeller($('heat'), $('heat-cell'), () => [($('heat').clientWidth - kNames) / (drawn ? stepsOf(drawn.overview) : 1), kCellRow]);
const placeTeller = new CellTeller($('places'), $('place'), () => [kPlaceSize, kPlaceSize]);

function showOverviewOf(job) {
  drawn = job;
  const overview = job.overview;
  showRunning(overview);
  heatTeller.set(drawHeat(overview), (cell) => heatText(overview, cell));
  placeTeller.set(drawPlaces(job), (place) => placeText(job, place));
  $('heat').setAttribute('aria-label', 'Slots in use of ' + counted(overview.rows.length, 'row') + ' of workers over ' + time(overview.made_seconds) + '; arrow keys move from cell to cell');
  $('places').setAttribute('aria-label', counted(job.tasks, 'task') + ' in ' + counted(overview.places.length, 'place') + ', ' + grouped(job.tasks_done) + ' done; arrow keys move from place to place');
  const age = time(Math.max(0, job.elapsed_seconds - overview.made_seconds));
  const when = job.ended_unix_ns === null ? ', as of ' + age + ' ago' : '';
  tell($('made'), 'Sums of ' + counted(overview.attempts, 'attempt') + when + '.');
}

addEventListener('resize', () => {
  if (drawn && !$('overview-figures').hidden && !$('job').hidden) showOverviewOf(drawn);
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  if (drawn && !$('overview-figures').hidden && !$('job').hidden) showOverviewOf(drawn);
});
