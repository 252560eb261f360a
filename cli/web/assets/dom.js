'use strict';
// Making and changing what is shown, and words for times and sizes. Whatever comes from the cluster is put in as text,
// never as markup.

const $ = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function shape(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) {
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = text;
    made.append(title);
  }
  return made;
}

function label(text, attributes) {
  const made = shape('text', attributes);
  made.textContent = text;
  return made;
}

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null);

// Children with keys are found again wherever they stand now; none is moved that need not be, as that would lose focus.
function morphKeyed(shown, children) {
  const wanted = new Set(children.map(keyOf));
  const known = new Map();
  for (const child of [...shown.childNodes]) {
    if (wanted.has(keyOf(child)) && !known.has(keyOf(child))) known.set(keyOf(child), child);
    else child.remove();
  }
  let next = shown.firstChild;
  for (const child of children) {
    const there = known.get(keyOf(child));
    known.delete(keyOf(child));
    if (!there) {
      shown.insertBefore(child, next);
      continue;
    }
    if (there === next) next = next.nextSibling;
    else shown.insertBefore(there, next);
    morph(there, child);
  }
}

// Changes what is shown to what was made, and nothing that is the same: selection and focus stay where they are. What a
// visitor has opened stays open.
function morph(shown, made) {
  if (shown.isEqualNode(made)) return;
  if (shown.nodeName !== made.nodeName) return shown.replaceWith(made);
  if (shown.nodeType === Node.TEXT_NODE) return void (shown.data = made.data);
  for (const name of shown.getAttributeNames()) {
    if (!made.hasAttribute(name) && name !== 'open') shown.removeAttribute(name);
  }
  for (const name of made.getAttributeNames()) {
    if (shown.getAttribute(name) !== made.getAttribute(name)) shown.setAttribute(name, made.getAttribute(name));
  }
  const after = [...made.childNodes];
  if (after.length > 0 && after.every((child) => keyOf(child) !== null)) return morphKeyed(shown, after);
  const before = [...shown.childNodes];
  after.forEach((child, i) => (i < before.length ? morph(before[i], child) : shown.append(child)));
  before.slice(after.length).forEach((child) => child.remove());
}

function show(container, children) {
  const made = container.cloneNode(false);
  made.append(...children);
  morph(container, made);
}

// Writes only what differs: what a visitor has selected of it stays.
function tell(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// What can be chosen by mouse, finger or keyboard, to be told below the figure.
function choosable(made, key) {
  made.setAttribute('data-key', key);
  made.setAttribute('tabindex', -1);
  made.setAttribute('role', 'img');
  return made;
}

const kChoosable = '[role=img]';

// A figure of which one thing at a time can be reached by Tab, and the others from there by arrow keys, Home and End.
class Figure {
  constructor(place) {
    this.place = place;
    this.stop = null;  // the key of what Tab reaches; null: the first
    place.addEventListener('focusin', (event) => event.target.matches(kChoosable) && this.stopAt(event.target));
    place.addEventListener('keydown', (event) => this.move(event));
  }
  // Each of the children has a key.
  show(children) {
    const all = children.filter((child) => child.matches(kChoosable));
    const stop = all.find((child) => keyOf(child) === this.stop) || all[0];
    if (stop) stop.setAttribute('tabindex', 0);
    show(this.place, children);
  }
  stopAt(wanted) {
    this.stop = keyOf(wanted);
    for (const old of this.place.querySelectorAll('[tabindex="0"]')) old.setAttribute('tabindex', -1);
    wanted.setAttribute('tabindex', 0);
  }
  move(event) {
    const all = [...this.place.querySelectorAll(kChoosable)];
    const at = all.indexOf(event.target);
    const back = at - 1, on = at + 1, end = all.length - 1;
    const next = all[{ArrowLeft: back, ArrowUp: back, ArrowRight: on, ArrowDown: on, Home: 0, End: end}[event.key]];
    if (at < 0 || !next) return;
    event.preventDefault();
    next.focus();
  }
}

const counted = (count, one, more) => grouped(count) + ' ' + (count === 1 ? one : more || one + 's');

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

function time(seconds) {
  if (seconds === null || seconds === undefined) return '';
  if (seconds < 0.0005) return '0 s';
  if (seconds < 1) return Math.round(seconds * 1000) + ' ms';
  if (seconds < 60) return seconds.toFixed(1) + ' s';
  if (seconds < 3600) return Math.floor(seconds / 60) + 'm ' + Math.floor(seconds % 60) + 's';
  return Math.floor(seconds / 3600) + 'h ' + Math.floor(seconds % 3600 / 60) + 'm';
}

const kFirstClock = 1e18;  // before that are times of simulated jobs, which count from 0

// The visitor's clock: "2026-12-01 06:00:00".
function clock(unixNs) {
  if (unixNs < kFirstClock) return '';
  const at = new Date(unixNs / 1e6);
  const two = (number) => String(number).padStart(2, '0');
  return at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate()) + ' ' + two(at.getHours()) + ':' + two(at.getMinutes()) + ':' + two(at.getSeconds());
}

// Of today without the date.
function shortClock(unixNs) {
  const [date, hour] = clock(unixNs).split(' ');
  return date === clock(Date.now() * 1e6).split(' ')[0] ? hour : clock(unixNs);
}

// "…/2026/part-0": the end of a path tells files apart.
const shortPath = (path) => (path.split('/').length > 3 ? '…/' + path.split('/').slice(-2).join('/') : path);

function size(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < 5; ++unit) bytes /= 1024;
  return (unit === 0 ? Math.round(bytes) : bytes.toFixed(bytes < 10 ? 2 : 1)) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][unit];
}

// In the words of `ontime job`.
function pocdText(pocd) {
  if (pocd === 0 || pocd === 1) return String(pocd);
  if (pocd > 0.999) return 'above 0.999';
  if (pocd < 0.001) return 'below 0.001';
  return pocd.toFixed(3);
}

// A colour of the style sheet, for what is drawn without elements.
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
