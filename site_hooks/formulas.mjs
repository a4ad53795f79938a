// Reads [[tex, display], ...] from standard input and writes [html, ...] to standard output; fails on the first formula that KaTeX refuses.
import {readFileSync} from 'node:fs';
import katex from 'katex';

/** Commands that KaTeX trusts only when told to: classes and data attributes. They are safe here, as all formulas are our own. */
const trusted = new Set(['\\htmlClass', '\\htmlData']);

const render = ([tex, displayMode]) => {
  try {
    return katex.renderToString(tex, {
      displayMode,
      output: 'htmlAndMathml',
      strict: code => (code === 'htmlExtension' ? 'ignore' : 'error'),
      throwOnError: true,
      trust: ({command}) => trusted.has(command),
    });
  } catch (error) {
    process.stderr.write(`${error.message}\nin the formula: ${tex}\n`);
    process.exit(1);
  }
};

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(render)));
