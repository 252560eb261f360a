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

// Changes what is shown to what was made, and nothing that is the same: selection and focus stay where they are.
function morph(shown, made) {
  if (shown.isEqualNode(made)) return;
  if (shown.nodeName !== made.nodeName) return shown.replaceWith(made);
  if (shown.nodeType === Node.TEXT_NODE) return void (shown.data = made.data);
  for (const name of shown.getAttributeNames()) if (!made.hasAttribute(name)) shown.removeAttribute(name);
  for (const name of made.getAttributeNames()) {
    if (shown.getAttribute(name) !== made.getAttribute(name)) shown.setAttribute(name, made.getAttribute(name));
  }
  const before = [...shown.childNodes];
  const after = [...made.childNodes];
  after.forEach((child, i) => (i < before.length ? morph(before[i], child) : shown.append(child)));
  before.slice(after.length).forEach((child) => child.remove());
}

function show(container, children) {
  const made = container.cloneNode(false);
  made.append(...children);
  morph(container, made);
}

const counted = (count, one, more) => count + ' ' + (count === 1 ? one : more || one + 's');

function time(seconds) {
  if (seconds === null || seconds === undefined) return '';
  if (seconds < 0.0005) return '0 s';
  if (seconds < 1) return Math.round(seconds * 1000) + ' ms';
  if (seconds < 60) return seconds.toFixed(1) + ' s';
  if (seconds < 3600) return Math.floor(seconds / 60) + ' min ' + Math.floor(seconds % 60) + ' s';
  return Math.floor(seconds / 3600) + ' h ' + Math.floor(seconds % 3600 / 60) + ' min';
}

function size(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < 5; ++unit) bytes /= 1024;
  return (unit === 0 ? bytes : bytes.toFixed(bytes < 10 ? 2 : 1)) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][unit];
}
