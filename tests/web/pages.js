'use strict';
// The pages in Chromium: the live page, the report of a job and the report of an experiment. None may say anything on
// the console, be wider than the window, or break a rule of axe; what a visitor has chosen survives a refresh; a master
// that is away is said.
//   node pages.js SOURCE BUILD      exit code 77: something is missing that cannot be had here

const fs = require('fs');
const path = require('path');
const {answer, million} = require('./answers.js');
const {Cluster, pause} = require('./cluster.js');
const experiment = require('./experiment.js');
const visits = require('./visits.js');

const [source, build] = process.argv.slice(2).map((given) => path.resolve(given));
const tools = path.join(source, 'build', 'tools', 'web', 'node_modules');
const kChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => fs.existsSync(file));
if (!kChromium || !fs.existsSync(path.join(tools, 'playwright-core')) || !fs.existsSync(path.join(tools, 'axe-core'))) {
  console.log('Chromium, playwright-core or axe-core is missing; scripts/install-dependencies --tests fetches them');
  process.exit(77);
}
const {chromium} = require(path.join(tools, 'playwright-core'));
const axe = fs.readFileSync(path.join(tools, 'axe-core', 'axe.min.js'), 'utf8');

const kWidths = [360, 400, 640, 1024, 1440, 2560];
const wrong = [];  // sentences
let step = 'start';

function fault(sentence) {
  wrong.push(step + ': ' + sentence);
  console.log('WRONG ' + step + ': ' + sentence);
}

// A page whose every word on the console is a fault, until `page.expectTrouble` is set. It asks again ten times as often.
async function openPage(browser, url, options = {}) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  page.on('console', (message) => page.expectTrouble || fault('the console says ' + message.text()));
  page.on('pageerror', (error) => fault('a script failed: ' + error.stack));
  await page.addInitScript(() => {
    const {setTimeout} = window;
    window.setTimeout = (what, after) => setTimeout(what, after / 10);
  });
  if (url) await page.goto(url);
  return page;
}

async function checkWidths(page) {
  for (const width of kWidths) {
    await page.setViewportSize({width, height: 900});
    const wide = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(document.documentElement.scrollWidth)))));
    if (wide > width) fault('it is ' + wide + ' pixels wide in a window of ' + width);
  }
}

async function checkAxe(page) {
  await page.evaluate(axe);
  const {violations} = await page.evaluate(() => window.axe.run());
  for (const {id, help, nodes} of violations) fault('axe: ' + id + ', ' + help + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join('\n    '));
}

// `ready`: what there is once the page is complete. It is looked at in light and dark, on a desk and on a phone.
async function checkLook(browser, name, url, ready, prepare = async () => {}) {
  for (const [colorScheme, width] of [['light', 1280], ['dark', 400]]) {
    step = name + ', ' + colorScheme + ', ' + width;
    const page = await openPage(browser, undefined, {colorScheme, viewport: {width, height: 900}});
    await prepare(page);
    await page.goto(url);
    await page.waitForSelector(ready);
    await checkAxe(page);
    await checkWidths(page);
    if (process.env.SCREENSHOTS) {
      await page.setViewportSize({width, height: 900});
      await page.screenshot({path: path.join(process.env.SCREENSHOTS, step.replace(/[^a-z0-9]+/g, '-') + '.png'), fullPage: true});
    }
    await page.close();
  }
}

const refreshed = (page) => page.waitForResponse((response) => response.url().includes('/api/jobs'));

async function checkRefresh(browser, url) {
  step = 'refresh';
  const page = await openPage(browser, url);
  const search = page.getByRole('searchbox', {name: 'Search jobs'});
  await search.fill('long');
  await page.waitForFunction(() => document.querySelectorAll('#jobs tbody tr').length === 1);
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector('#jobs tbody td:nth-child(6)')));
  await page.locator('#jobs tbody a').focus();
  for (let i = 0; i < 3; ++i) await refreshed(page);
  const kept = await page.evaluate(() => [document.activeElement.textContent, getSelection().toString(), document.querySelectorAll('#jobs tbody b').length]);
  if (!kept[0].startsWith('job-')) fault('the focus was lost: ' + kept[0]);
  if (kept[1] !== 'a long name, <b>of a job</b>') fault('the selection was lost: ' + kept[1]);
  if (kept[2] !== 0) fault('a name was taken for markup');
  await page.getByRole('button', {name: 'Tasks'}).click();
  await page.waitForSelector('#jobs th[aria-sort=ascending]');
  await page.close();
}

async function checkJob(browser, url) {
  step = 'job';
  const page = await openPage(browser, url + '#job-3');
  await page.locator('#timeline rect').first().focus();
  await page.waitForFunction(() => document.getElementById('chosen').textContent.includes('on worker-one: running'));
  for (let i = 0; i < 3; ++i) await refreshed(page);
  if (!await page.evaluate(() => document.activeElement.matches('#timeline rect'))) fault('the focus in the timeline was lost');
  await page.waitForSelector('#forecast-section:not([hidden])');
  const facts = await page.locator('#facts').innerText();
  for (const file of ['logs.txt', 'report', 'trace']) {
    const answer = await page.request.get(url + 'api/jobs/job-3/' + file);
    if (answer.status() !== 200) fault(file + ' is answered by ' + answer.status());
  }
  if (!/Machine time\s+\d.*: .*(launching|not sealed yet) \d/.test(facts)) fault('machine time is not told: ' + facts);
  await page.goto(url + '#job-2');
  await page.locator('#failures summary').first().click();
  await page.waitForFunction(() => document.querySelector('#failures pre').textContent.includes('no such thing'));
  await refreshed(page);
  if (!await page.evaluate(() => document.querySelector('#failures details').open)) fault('a log was closed by a refresh');
  await page.close();
}

// The API is made up here; the page is the real one.
async function makeUp(page) {
  let tick = 0;
  await page.route('**/api/**', (route) => {
    const asked = new URL(route.request().url());
    const said = answer(asked.pathname, asked.searchParams, ++tick);
    return said ? route.fulfill({json: said}) : route.fulfill({status: 404, body: 'There is nothing here.'});
  });
}

async function checkMillion(browser, url) {
  step = '1,000,000 tasks';
  const page = await openPage(browser);
  await page.addInitScript(() => addEventListener('DOMContentLoaded', () => {
    const {showJob} = window;
    window.took = [];
    window.showJob = (...given) => {
      const begin = performance.now();
      showJob(...given);
      window.took.push(performance.now() - begin);
    };
  }));
  await makeUp(page);
  await page.goto(url + '#job-1');
  await page.waitForFunction(() => window.took.length >= 5);
  const [paint, took] = await page.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0].startTime, window.took]);
  console.log('1,000,000 tasks: first paint after ' + paint.toFixed(0) + ' ms, script of refreshes ' + took.map((ms) => ms.toFixed(0)).join(', ') + ' ms');
  await page.locator('#heat').press('ArrowRight');
  if (!(await page.locator('#heat-cell').textContent()).includes('in use')) fault('arrow keys do not tell a cell');
  await page.locator('#places').hover();
  if (!(await page.locator('#place').textContent()).includes('done')) fault('pointing does not tell a place');
  await page.getByRole('searchbox', {name: 'Search tasks'}).fill('123456');
  await page.waitForFunction(() => document.querySelector('#task-list tbody td').textContent === '123,456');
  await page.close();
}

// What visitors do on the page, each in a page of their own.
async function checkVisits(browser, url) {
  for (const [name, visit] of Object.entries(visits)) {
    step = name;
    const page = await openPage(browser);
    page.setDefaultTimeout(10000);
    await makeUp(page);
    try {
      await visit(page, url, fault);
    } catch (error) {
      fault(error.message.split('\n')[0]);
    }
    await page.close();
  }
}

// The report of a job of so many tasks that they are not in it.
async function checkLargeReport(browser, cluster) {
  step = 'large report';
  const report = fs.readFileSync(cluster.file('run.html'), 'utf8');
  const data = JSON.stringify(million(1)).replaceAll('<', '\\u003c');
  const made = report.replace(/(id="report">\n)[^]*?(<\/script>)/, (_, begin, end) => begin + data + end);
  fs.writeFileSync(cluster.file('large.html'), made);
  const page = await openPage(browser, 'file://' + cluster.file('large.html'));
  await page.waitForSelector('#running path');
  if (await page.locator('#task-list').isVisible()) fault('there is a list of tasks without tasks');
  await page.evaluate(() => loop());
  if (await page.locator('#trouble').isVisible()) fault('a report asks for something');
  if (!await page.locator('#facts').isVisible()) fault('the job has vanished');
  await page.close();
}

async function checkTrouble(browser, cluster, url) {
  step = 'a master that is away';
  const page = await openPage(browser, url);
  await page.waitForSelector('#jobs tbody tr');
  page.expectTrouble = true;  // Chromium tells of answers 503 on the console
  await cluster.end('master');
  await page.waitForSelector('#trouble:not([hidden])');
  if (await page.locator('#jobs tbody tr').count() === 0) fault('what was known is no longer shown');
  await cluster.end('web');
  await page.waitForFunction(() => document.getElementById('trouble').textContent.includes("'ontime web' cannot be reached"));
  await page.close();
}

// Pages of jobs that were replayed and simulated.
async function checkWritten(browser, cluster) {
  step = 'written pages';
  const text = path.join(source, 'examples', 'text');
  cluster.ontime('run', 'wordcount', text, '--output', 'recorded', '--splits', '6', '--deadline', '60s', '--record', 'run.otr', '--report', 'run.html', '--quiet');
  cluster.ontime('replay', '--recording', 'run.otr', '--report', 'replayed.html');
  cluster.ontime('simulate', path.join(source, 'lab', 'scenarios', 'straggler.yaml'), '--report', 'simulated');
  for (const file of ['run.html', 'replayed.html', 'simulated/split-resume-job-1.html']) {
    await checkLook(browser, file, 'file://' + cluster.file(file), '#timeline rect');
  }
  await checkLargeReport(browser, cluster);
  await checkEnded(browser, 'file://' + cluster.file('simulated/split-resume-job-1.html'));
  await checkSimulated(browser, 'file://' + cluster.file('simulated/split-resume-job-1.html'));
}

// What an attempt has sealed before it was ended is in the answer.
async function checkEnded(browser, url) {
  step = 'ended attempts';
  const page = await openPage(browser, url);
  await page.waitForSelector('#timeline rect');
  const kinds = await page.evaluate(() => attempts.map((one) => [one.sealed, kindOf({...one, state: 'killed'})]));
  if (!kinds.some(([sealed]) => sealed)) fault('nothing is sealed');
  for (const [sealed, kind] of kinds) {
    if (sealed !== (kind !== 'lost')) fault('an ended attempt is drawn as ' + kind);
  }
  await page.close();
}

// Its times count from 0.
async function checkSimulated(browser, url) {
  step = 'a simulated job';
  const page = await openPage(browser, url);
  await page.waitForSelector('#timeline rect');
  const text = await page.locator('body').innerText();
  if (text.includes('1970')) fault('it has a date');
  if (!text.includes('Report of a simulated job')) fault('it is not said that it was simulated');
  await page.close();
}

async function checkAll(browser, cluster) {
  const url = await cluster.start();
  await cluster.addJobs();
  await checkLook(browser, 'cluster', url, '#jobs tbody tr');
  await checkLook(browser, 'job', url + '#job-3', '#timeline rect');
  await checkLook(browser, 'failed job', url + '#job-2', '#failures li');
  await checkLook(browser, 'large job', url + '#job-1', '#running path', makeUp);
  cluster.ontime('report', '1', '-o', 'report.html');
  await checkLook(browser, 'report', 'file://' + cluster.file('report.html'), '#timeline rect');
  await checkRefresh(browser, url);
  await checkJob(browser, url);
  await checkMillion(browser, url);
  await checkVisits(browser, url);
  await checkTrouble(browser, cluster, url);
  await checkWritten(browser, cluster);
  step = 'experiment';
  const scenario = path.join(source, 'examples', 'experiments', 'one-straggler.yaml');
  cluster.ontime('experiment', scenario, '--output', cluster.file('experiment'), '--quiet');
  const written = 'file://' + cluster.file('experiment/report.html');
  await checkLook(browser, 'experiment', written, 'svg');
  await experiment.check(openPage, browser, written, fault);
}

async function main() {
  const browser = await chromium.launch({executablePath: kChromium, args: ['--no-sandbox', '--disable-dev-shm-usage']});
  const cluster = new Cluster(source, build);
  try {
    await checkAll(browser, cluster);
  } catch (error) {
    fault(error.stack + '\n' + cluster.logs());
  }
  await browser.close();
  await cluster.stop();
  await pause();
  console.log(wrong.length === 0 ? 'all is well' : wrong.length + ' wrong');
  process.exit(wrong.length === 0 ? 0 : 1);
}

main();
