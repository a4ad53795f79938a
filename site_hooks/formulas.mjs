// [[tex, display], ...] on standard input -> [html, ...] on standard output; fails on the first formula KaTeX refuses.
import {readFileSync} from 'node:fs';
import katex from 'katex';

/** What KaTeX allows beyond its default: a class on a part of a formula, since the formulas are our own. */
const ours = new Set(['\\htmlClass', '\\htmlData']);

const set = ([tex, displayMode]) => {
  try {
    return katex.renderToString(tex, {
      displayMode,
      output: 'htmlAndMathml',
      strict: code => (code === 'htmlExtension' ? 'ignore' : 'error'),
      throwOnError: true,
      trust: ({command}) => ours.has(command),
    });
  } catch (error) {
    process.stderr.write(`${error.message}\nin the formula: ${tex}\n`);
    process.exit(1);
  }
};

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(set)));
