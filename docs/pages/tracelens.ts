/** docs/differences-from-tracelens.md: our FLOPs and bytes of PyTorch traces next to TraceLens'. */
import { DEVIATIONS, ROWS, type Deviation } from '../differences/tracelens.js';
import { code, list, NOTICE, page, table } from './markdown.js';

const RIGHT: Readonly<Record<Deviation['right'], string>> = {
  ours: 'we are',
  convention: 'a convention',
};

const rows = (deviation: Deviation): string =>
  Object.entries(deviation.rows)
    .map(([trace, count]) => `${trace} ${count}`)
    .join(', ');

const deviations = (): string =>
  table(
    ['', 'ops', 'TraceLens says', 'we say', 'who is right', 'why', 'rows'],
    DEVIATIONS.map((deviation) => [
      `**${deviation.title}**`,
      deviation.ops.map(code).join(', '),
      deviation.theirs,
      deviation.ours,
      RIGHT[deviation.right],
      deviation.why,
      rows(deviation),
    ]),
  );

function counts(): string {
  const total = { agree: 0, explained: 0, withoutModel: 0 };
  const lines = Object.entries(ROWS).map(([trace, { agree, explained, withoutModel }]) => {
    total.agree += agree;
    total.explained += explained;
    total.withoutModel += withoutModel;
    return [trace, String(agree), String(explained), String(withoutModel)];
  });
  const sums = [total.agree, total.explained, total.withoutModel].map(String);
  return table(['trace', 'agree', 'explained below', 'without a model'], [...lines, ['all', ...sums]]);
}

export const tracelensPage = (): string =>
  page(
    NOTICE,
    '# Differences from TraceLens',
    'The reference is TraceLens (AMD-AGI/TraceLens, commit 171dd74): the rows of its `unified_perf_summary.csv` of five PyTorch traces, each an op with the shapes, types and values of its arguments. Our FLOPs and bytes of a row are those of all kernels that its calls launched.',
    list([
      'A row agrees when FLOPs are equal within 0.1 % and bytes within 1 %. A test checks this for every row. For the rows below it checks both answers, which were computed by hand.',
      'Numbers of calls are equal in every row whose calls launched kernels, as are counts and kernel times by op, name and stream (`kernel_summary.csv`).',
      'In the table E is the number of elements, N and C samples and channels, L the length of a normalised row.',
    ]),
    '## Rows',
    counts(),
    '## What differs',
    deviations(),
  );
