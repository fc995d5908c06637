/** docs/ops.md: what ops need, by family. */
import { ELEMENT_TYPES } from '../../src/record/element-types.js';
import type { Family } from '../../src/ops/family.js';
import { CATEGORIES, CATEGORY_TEXTS } from '../../src/ops/category.js';
import { FAMILIES } from '../../src/ops/table.js';
import { TENSOR_CORE_RULES } from '../../src/ops/kernels/tensor-core.js';
import { code, list, NOTICE, page, table } from './markdown.js';
import { exampleOf } from './op-examples.js';

/** Names, those with a form in place (`add_`) once: `add[_]`. */
function names(ops: readonly string[]): string {
  const all = new Set(ops);
  const shown = ops.filter((op) => !(op.endsWith('_') && all.has(op.slice(0, -1))));
  return shown.map((op) => code(all.has(`${op}_`) ? `${op}[_]` : op)).join(', ');
}

function section(family: Family): string {
  const { text, source } = exampleOf(family);
  return [
    `### ${family.title}`,
    `Family ${code(family.id)}. Ops: ${names(family.ops)}.`,
    list(family.formulas),
    `Example: ${text}`,
    `Source: ${source}.`,
  ].join('\n\n');
}

function dtypes(): string {
  const rows = ELEMENT_TYPES.map(({ dtype, short, bytes }) => [code(dtype), code(short), String(bytes)]);
  return table(['name', 'shown as', 'bytes per element'], rows);
}

const VERDICTS = {
  yes: 'used: `1`',
  likely: 'likely used: `1`',
  no: 'not used: `0` for a matrix product, else `-`',
} as const;

const rules = (): string =>
  table(
    ['rule', 'verdict', 'names that match'],
    TENSOR_CORE_RULES.map(({ rule, verdict, pattern }) => [rule, VERDICTS[verdict], code(pattern.source)]),
  );

const categories = (): string =>
  table(
    ['category', 'contents', 'families of ops'],
    CATEGORIES.map((name) => [
      code(name),
      CATEGORY_TEXTS[name],
      FAMILIES.filter(({ category }) => category === name)
        .map(({ id }) => id)
        .join(', '),
    ]),
  );

export const opsPage = (): string =>
  page(
    NOTICE,
    '# Ops',
    `The work of a kernel follows from the call that launched it: its op, shapes and element types. ${FAMILIES.length} families know ${FAMILIES.reduce((n, { ops }) => n + ops.length, 0)} op names. \`aten::mm\` and \`mm\` are the same op; \`LSTMCell.forward\` is that module's op only; \`add[_]\` stands for \`add\` and \`add_\`.`,
    list([
      'FLOPs: floating-point operations the op needs, a multiply-add counted as 2. Bytes: the least traffic, every operand read once and every result written once.',
      'Of the calls around a launch (`F.linear` calls `addmm`), the innermost that has a formula for its arguments describes the kernel. The columns `op` and `mod` show the outermost.',
      "An op's work is given to its main kernel. Helpers (layout changes, split-K reductions, fills) have no work (0). Work that the arguments do not determine (a second product, any part of an op whose work is unknown) is unknown.",
      'An op that no family knows, or arguments that do not fit, leave FLOPs and bytes unknown (`na`), never 0. `dprof --explain IDX` says which call, formula and source a number comes from.',
    ]),
    'In the formulas E is the number of elements, `|x|` the size of a tensor in bytes (elements where it stands in FLOPs), m, n, k the dimensions of a matrix product; N, C, H, W batch, channels, height and width, K output channels, g groups; B batch, X inputs and H hidden units of a cell; V and D rows and columns of a table.',
    '## Families',
    ...FAMILIES.map(section),
    '## Categories',
    "The column `category` (`--by category`) is that of the innermost op around the launch that states one, else that of the row that matches the kernel's name, else unknown. Families that are not in the table state it by op.",
    categories(),
    '## Element types',
    dtypes(),
    '## Tensor cores',
    'Whether a kernel used the matrix unit is judged by its full name; the first matching rule counts, and a name without a matching rule gives `?`. The rules follow the naming habits of the libraries; they are not a measurement. A device without the unit (before sm70) answers `0` whatever the name. For ops other than matrix products, and for helper and bias kernels, the column `tc` is `-`.',
    rules(),
  );
