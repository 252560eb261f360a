'use strict';
// What a visitor does on the page, and what must come of it. The answers are made up, see answers.js.

const refreshes = async (page, count) => {
  for (let i = 0; i < count; ++i) await page.waitForResponse((response) => response.url().includes('/api/nodes'));
  await page.waitForTimeout(100);
};

const textOf = (page, selector) => page.locator(selector).first().textContent();
const counts = (page, text) => page.waitForFunction(
    (wanted) => document.querySelector('#task-list .controls').textContent.includes(wanted), text);
const tasksBegin = (page, text) => page.waitForFunction((wanted) => {
  const cell = document.querySelector('#task-list tbody td');
  return cell && cell.textContent === wanted;
}, text);
const press = (page, name) => page.locator('#task-list').getByRole('button', {name}).click();
const search = (page) => page.getByRole('searchbox', {name: 'Search tasks'});
const turnTo = (page, job) => page.evaluate((to) => void (location.hash = to), job);

async function choose(page, key) {
  await page.locator('#timeline [data-key="' + key + '"]').focus();
  return textOf(page, '#chosen');
}

async function pagesOfTasks(page, url, fault) {
  await page.goto(url + '#job-1');
  await tasksBegin(page, '0');
  if (await page.locator('#task-list th button').count() > 0) fault('tasks in order of their numbers can be sorted');
  await page.getByRole('combobox', {name: 'State of tasks'}).selectOption('running');
  for (const [button, first] of [['Next', '350'], ['Next', '700'], ['Previous', '350'], ['Previous', '0']]) {
    await press(page, button);
    await tasksBegin(page, first);
  }
  await turnTo(page, 'job-11');
  await counts(page, '1 to 50 of 120');
  await press(page, 'Next');
  await counts(page, '51 to 100 of 120');
  if (await page.locator('#task-list th button').count() === 0) fault('tasks can no longer be sorted');
}

async function numbersOfTasks(page, url) {
  await page.goto(url + '#job-1');
  await tasksBegin(page, '0');
  await search(page).fill('5,000');
  await tasksBegin(page, '5,000');
  await search(page).fill('part');
  await counts(page, 'only the number');
  await search(page).fill('2000000');
  await counts(page, 'no such task');
}

async function fromJobToJob(page, url, fault) {
  await page.goto(url + '#job-11');
  await counts(page, '1 to 50 of 120');
  await press(page, 'Next');
  await press(page, 'Next');
  await counts(page, '101 to 120 of 120');
  await choose(page, '5/0');
  await turnTo(page, 'job-12');
  await counts(page, '1 to 2 of 2');
  if (!(await textOf(page, '#chosen')).startsWith('Choose')) fault('an attempt of another job is described');
  await search(page).fill('nothing');
  await counts(page, 'none of 0');
  await turnTo(page, 'job-11');
  await counts(page, '1 to 50 of 120');
  if (await search(page).inputValue() !== '') fault('the search stays');
}

async function slowJob(page, url, fault) {
  let answered = false;
  await page.route('**/api/jobs/job-12', async (route) => {
    await new Promise((done) => setTimeout(done, 1500));
    answered = true;
    await route.fallback();
  });
  await page.goto(url + '#job-12');
  await page.waitForFunction(() => document.getElementById('cluster').textContent.includes('3 jobs not ended'));
  if (answered) fault('the state of the cluster waits for the job');
  await turnTo(page, 'job-11');
  await page.waitForFunction(() => document.getElementById('job-title').textContent.includes('small'));
  await turnTo(page, 'job-12');
  await page.waitForTimeout(200);
  if (await page.locator('#job-title').isVisible()) fault('another job is shown than the address says');
  await page.waitForFunction(() => document.getElementById('job-title').textContent.includes('ended'));
}

async function selection(page, url, fault) {
  await page.goto(url + '#job-11');
  await page.waitForSelector('#timeline rect');
  await choose(page, '5/0');
  for (const place of ['#chosen', '#cluster']) {
    await page.evaluate((selector) => getSelection().selectAllChildren(document.querySelector(selector)), place);
    await refreshes(page, 2);
    if (await page.evaluate(() => getSelection().toString()) === '') fault('the selection in ' + place + ' was lost');
  }
}

async function focusInTimeline(page, url, fault) {
  await page.goto(url + '#job-11');
  await page.waitForSelector('#timeline rect');
  for (const key of ['45/0', 'decision task 2 20']) {
    const told = await choose(page, key);
    await refreshes(page, 5);
    const focused = await page.evaluate(() => document.activeElement.getAttribute('data-key'));
    if (focused !== key) fault('the focus went from ' + key + ' to ' + focused);
    if (!(await textOf(page, '#chosen')).startsWith(told.slice(0, 20))) fault('what was told has gone: ' + told);
  }
}

async function keysInTimeline(page, url, fault) {
  await page.goto(url + '#job-11');
  await page.waitForSelector('#timeline rect');
  for (const figure of ['#timeline', '#forecast']) {
    const stops = await page.locator(figure + ' [tabindex="0"]').count();
    if (stops !== 1) fault(figure + ' has ' + stops + ' tab stops');
  }
  const focused = async (key) => {
    await page.keyboard.press(key);
    return page.evaluate(() => document.activeElement.getAttribute('data-key'));
  };
  await choose(page, '45/0');
  for (const [key, wanted] of [['ArrowRight', '46/0'], ['ArrowLeft', '45/0'], ['End', '119/0'], ['ArrowUp', '118/0']]) {
    const reached = await focused(key);
    if (reached !== wanted) fault(key + ' goes to ' + reached);
  }
  if (!(await textOf(page, '#chosen')).startsWith('task 118, attempt 0')) fault('what is reached by keys is not told');
  await page.keyboard.press('Enter');
  if (!(await focused('Home')).startsWith('decision')) fault('Home does not go to the first');
  await refreshes(page, 1);
  if (await page.locator('#timeline [tabindex="0"]').count() !== 1) fault('there is more than one tab stop later');
}

async function reasonsAndFacts(page, url, fault) {
  await page.goto(url + '#job-11');
  await page.waitForSelector('#timeline rect');
  const facts = await page.locator('#facts').innerText();
  for (const part of ['stands in', 'Priority', 'the job is killed then', 'PoCD above 0.999', 'command=cat', '/data/in/part-0 and 29 more', 'Submitted', 'Due', 'Expected end']) {
    if (!facts.includes(part)) fault('facts lack ' + part + ': ' + facts);
  }
  const wanted = [['0/1', 'clone'], ['1/0', 'no slot is free'], ['decision task 2 20', 'above 0.999'],
    ['decision worker-2 5', 'held back']];
  for (const [key, part] of wanted) {
    const told = await choose(page, key);
    if (!told.includes(part)) fault(key + ' lacks ' + part + ': ' + told);
  }
  if (!(await textOf(page, '#left-out')).includes('7 more tasks')) fault('it is not said that tasks are left out');
  await turnTo(page, 'job-12');
  await page.waitForFunction(() => document.getElementById('job-title').textContent.includes('ended'));
  if ((await page.locator('#facts').innerText()).includes('PoCD')) fault('there is a PoCD without a deadline');
}

async function lateness(page, url, fault) {
  await page.goto(url);
  await page.waitForSelector('#jobs td.warn');
  await page.getByRole('combobox', {name: 'State of jobs'}).selectOption('late');
  await page.setViewportSize({width: 400, height: 900});
  const box = await page.locator('#jobs thead th[data-column=pocd]').boundingBox();
  if (box.x + box.width > 400) fault('a phone shows PoCD only after scrolling');
}

async function farDeadline(page, url, fault) {
  await page.goto(url + '#job-11');
  await page.waitForSelector('#timeline rect');
  const widths = await page.locator('#timeline rect').evaluateAll((all) => all.map((rect) => rect.getBBox().width));
  const widest = Math.max(...widths);
  if (widest < 100) fault('the longest attempt is ' + widest + ' wide');
  if (!(await textOf(page, '#timeline')).includes('deadline after 1h')) fault('the deadline is not told');
}

async function smallWindow(page, url, fault) {
  await page.setViewportSize({width: 360, height: 900});
  for (const [job, ready] of [['', '#use path'], ['#job-11', '#timeline rect'], ['#job-1', '#running path']]) {
    await page.goto('about:blank');
    await page.goto(url + job);
    await page.waitForSelector(ready);
    const heights = await page.locator('.chart text').evaluateAll((all) => all
        .filter((text) => text.getClientRects().length > 0)
        .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a));
    const least = Math.min(...heights);
    if (least < 10) fault(job + ': text of figures is ' + least.toFixed(1) + ' pixels high');
  }
}

// `jobs`: [seconds since the submission, seconds that it has run].
async function answerUse(page, jobs) {
  const running_thousandths = new Array(160).fill(4e6);
  const said = jobs.map(([since, made_seconds], i) => ({job: 'job-' + (i + 1), name: 'nightly', made_seconds,
    step_seconds: made_seconds / 160, submitted_unix_ns: (Date.now() - since * 1000) * 1e6, running_thousandths}));
  await page.route('**/api/use', (route) => route.fulfill({json: {jobs: said}}));
}

const ticksIn = (page, figure) => page.locator(figure + ' [data-key^=tick]').allTextContents();
const ticksOfUse = (page) => ticksIn(page, '#use');

async function idleCluster(page, url, fault) {
  await answerUse(page, [[330, 30]]);
  await page.goto(url);
  await page.waitForSelector('#use path');
  const ticks = await ticksOfUse(page);
  if (ticks.at(-1) !== 'now' || !/^−6m/.test(ticks[0])) fault('the use of 5 minutes ago is at ' + ticks);
}

async function idleForLong(page, url, fault) {
  await answerUse(page, [[86430, 30]]);
  await page.goto(url);
  await page.waitForSelector('#use path');
  const ticks = await ticksOfUse(page);
  if (!ticks.at(-1).startsWith('−24h')) fault('the use of a day ago is at ' + ticks);
}

async function useAndFilters(page, url, fault) {
  await answerUse(page, [[100, 100], [800, 800]]);
  const none = {jobs: [], matching: 0, all: 2, running: 2};
  await page.route(/api\/jobs\?.*state=failed/, (route) => route.fulfill({json: none}));
  await page.goto(url);
  await page.waitForSelector('#use path');
  const before = await ticksOfUse(page);
  await page.getByRole('combobox', {name: 'State of jobs'}).selectOption('failed');
  await page.waitForFunction(() => document.querySelector('#jobs tbody').rows.length === 0);
  const after = await ticksOfUse(page);
  const [was, is] = [before, after].map((ticks) => ticks[0].slice(0, 4));
  if (was !== is) fault('the figure goes by the filter: ' + before + ' and ' + after);
  await page.getByRole('combobox', {name: 'State of jobs'}).selectOption('committing');
}

async function muchUse(page, url, fault) {
  await answerUse(page, new Array(12).fill([600, 599]));
  await page.goto(url);
  await page.waitForSelector('#use path');
  const most = await textOf(page, '#use text');
  if (most !== '4,000') fault('more slots are in use than there are: ' + most);
  const said = await textOf(page, '#use-left-out');
  if (!said.includes('Of 300 jobs only 12')) fault('it is not said that jobs are left out');
}

async function filesOfAJob(page, url, fault) {
  for (const [job, wanted] of [['job-11', ['logs.txt', 'report', 'trace']], ['job-1', ['logs.txt', 'report']]]) {
    await page.goto(url + '#' + job);
    await page.waitForFunction((id) => document.getElementById('job-title').textContent.startsWith(id + ':'), job);
    const links = await page.locator('#job-files a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    if (links.join() !== wanted.map((file) => 'api/jobs/' + job + '/' + file).join()) fault(job + ' has links to ' + links);
  }
}

async function tasksOfAWorker(page, url, fault) {
  await page.goto(url + '#job-11');
  await counts(page, '1 to 50 of 120');
  await page.locator('#workers').getByRole('button', {name: 'worker-1', exact: true}).click();
  await counts(page, '1 to 40 of 40');
  if (!(await page.locator('#tasks-section').evaluate((section) => section.getBoundingClientRect().top < innerHeight))) fault('the tasks are out of sight');
  await search(page).fill('');
  await counts(page, '1 to 50 of 120');
}

async function roundTimes(page, url, fault) {
  await page.goto(url + '#job-11');
  await page.waitForSelector('#timeline rect');
  const placesIn = (figure) => page.locator(figure + ' [data-key^=tick]').evaluateAll((all) => all.map((tick) => [tick.textContent, Math.round(tick.getBoundingClientRect().left)]));
  const [expected, attempts] = [await placesIn('#forecast'), await placesIn('#timeline')];
  if (attempts.map(([text]) => text).join() !== '0 s,10 s,20 s,30 s') fault('times are ' + attempts);
  if (String(expected) !== String(attempts)) fault('the times of the figures stand at ' + expected + ' and at ' + attempts);
  if (await page.locator('abbr[title]').count() < 2) fault('no word is explained');
}

async function fullNamesAndClocks(page, url, fault) {
  await page.goto(url + '#job-11');
  const path = page.locator('#task-list tbody td').last();
  await path.waitFor();
  if (!/^…\/in\/part-\d+$/.test(await path.textContent())) fault('a path is shown as ' + await path.textContent());
  if (!(await path.getAttribute('title')).startsWith('/data/in/part-')) fault('the whole path is nowhere');
  await turnTo(page, '');
  const ends = page.locator('#jobs tbody tr').first().locator('td').nth(3);
  await ends.waitFor();
  if (!/^expected \d{4}-/.test(await ends.getAttribute('title'))) fault('the whole time of the end is nowhere');
  const [inner, outer] = await page.locator('#jobs .scroll').evaluate((place) => [place.scrollWidth, place.clientWidth]);
  if (inner > outer) fault('columns of the jobs are cut: ' + inner + ' pixels in ' + outer);
}

async function figuresOnAPhone(page, url, fault) {
  await page.setViewportSize({width: 390, height: 844});
  for (const [job, ready] of [['', '#use path'], ['#job-11', '#timeline rect'], ['#job-1', '#running path']]) {
    await page.goto('about:blank');
    await page.goto(url + job);
    await page.waitForSelector(ready);
    const cut = await page.locator('.scroll:has(> svg)').evaluateAll((places) => places.filter((place) => place.scrollWidth > place.clientWidth).length);
    if (cut > 0) fault(job + ': ' + cut + ' figures are not seen whole');
  }
}

module.exports = {filesOfAJob, tasksOfAWorker, roundTimes, fullNamesAndClocks, figuresOnAPhone, pagesOfTasks, numbersOfTasks, fromJobToJob, slowJob, selection, focusInTimeline, keysInTimeline,
  reasonsAndFacts, lateness, farDeadline, smallWindow, idleCluster, idleForLong, useAndFilters, muchUse};
