// node firefox.mjs EXECUTABLE ADDRESS: what tests/browser_engines/moves.js finds in Firefox, as JSON.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const require = createRequire(new URL('../../site_hooks/package.json', import.meta.url));
const puppeteer = require('puppeteer-core');
const [executablePath, address] = process.argv.slice(2);
const moves = readFileSync(new URL('moves.js', import.meta.url), 'utf8');

const browser = await puppeteer.launch({
  browser: 'firefox', executablePath, headless: true,
  // Puppeteer lets files read files; readers' Firefox does not.
  extraPrefsFirefox: {'security.fileuri.strict_origin_policy': true},
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(address);
  const before = await page.evaluate(`(() => { ${moves}; return before(); })()`);
  await page.keyboard.press('ArrowRight');
  const after = await page.evaluate(`(() => { ${moves}; return after(); })()`);
  console.log(JSON.stringify({...before, ...after}));
} finally {
  await browser.close();
}
