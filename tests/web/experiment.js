'use strict';
// What a reader of an experiment's report must not meet.

const brightness = (page) => page.evaluate(() => {
  const paper = getComputedStyle(document.documentElement).backgroundColor.match(/[\d.]+/g).map(Number);
  const isTransparent = paper[3] === 0;  // white then
  return isTransparent ? 1 : (paper[0] + paper[1] + paper[2]) / 765;
});

// On a desk, in light.
async function table(page, fault) {
  const tall = await page.locator('td').evaluateAll((cells) => cells
      .filter((cell) => cell.getClientRects().length > 0 && new Set([...rangeOf(cell).getClientRects()].map((box) => box.top)).size > 1)
      .map((cell) => cell.textContent));
  if (tall.length > 0) fault('cells are broken over lines: ' + tall.slice(0, 3).join('; '));
  const [inner, outer] = await page.locator('.scroll').first().evaluate((place) => [place.scrollWidth, place.clientWidth]);
  if (inner > outer) fault('columns of the first table are cut: ' + inner + ' pixels in ' + outer);
}

// Texts of one figure that lie on one another.
async function overlaps(page, fault) {
  const found = await page.locator('svg').evaluateAll((figures) => figures.flatMap((figure) => {
    const texts = [...figure.querySelectorAll('text')].map((text) => [text.textContent.trim(), text.getBoundingClientRect()]);
    const meet = ([, a], [, b]) => a.left + 1 < b.right && b.left + 1 < a.right && a.top + 4 < b.bottom && b.top + 4 < a.bottom;
    return texts.flatMap((one, i) => texts.slice(i + 1).filter((other) => meet(one, other)).map((other) => one[0] + ' and ' + other[0]));
  }));
  if (found.length > 0) fault('texts of figures overlap: ' + found.slice(0, 5).join('; '));
}

// On a phone, in the dark.
async function phone(page, fault) {
  if (await brightness(page) > 0.3) fault('the page is bright in the dark');
  const heights = await page.locator('svg text').evaluateAll((all) => all
      .map((text) => parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b)));
  const least = Math.min(...heights);
  if (least < 7) fault('text of figures is ' + least.toFixed(1) + ' pixels high');
}

async function check(openPage, browser, url, fault) {
  for (const [look, width, colorScheme] of [[table, 1280, 'light'], [overlaps, 1280, 'light'], [phone, 390, 'dark']]) {
    const page = await openPage(browser, undefined, {colorScheme, viewport: {width, height: 900}});
    await page.addInitScript(() => {
      window.rangeOf = (cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range;
      };
    });
    await page.goto(url);
    await look(page, fault);
    await page.close();
  }
}

module.exports = {check};
