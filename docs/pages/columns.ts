/** docs/columns.md: what a report can show. */
import { COLUMNS, DEFAULT_COLUMNS } from '../../src/prof/columns.js';
import { FORMATS } from '../../src/write/format.js';
import { code, list, NOTICE, page, table } from './markdown.js';

const columns = (): string =>
  table(
    ['key', 'header', 'unit', 'width', 'meaning'],
    COLUMNS.map(({ key, header, unit, width, doc }) => [
      code(key),
      header,
      unit ?? '',
      width === 0 ? 'shared' : String(width),
      doc,
    ]),
  );

export const columnsPage = (): string =>
  page(
    NOTICE,
    '# Columns',
    `Chosen with \`-c\`, comma-separated, in any order. Default: ${code(DEFAULT_COLUMNS)}.`,
    'The width is that of the columns format (`-w N`), in characters; columns of shared width divide what the others leave.',
    columns(),
    list([
      'Unknown is `na` in text and `null` in JSON, never 0. An empty list is `-`, in JSON `[]`.',
      'Lists are joined by a comma; layers by `:`; calls and ranges by `>`.',
      'A backward kernel that has no call of its own takes op, module, calls, layer and trace from the forward kernel with its sequence id.',
    ]),
    '## Formats',
    table(
      ['format', 'what it is'],
      FORMATS.map(({ id, title }) => [code(id), title]),
    ),
    'Without `-w`, `--csv` or `--format` the format is `space`; `-w N` asks for `columns`. Numbers in csv, space and json are in full; the columns format shows one that does not fit with an exponent.',
    '## Filters',
    'With `--where EXPR` only the kernels are shown for which EXPR holds:',
    list([
      '`column==value`, `!=`, `>`, `>=`, `<`, `<=` compare; `column~text` holds when the text is contained, in any case, `!~` when it is not.',
      '`&&` or `,` joins conditions that must all hold, `||` alternatives; parentheses group. A value with blanks or signs stands in quotes.',
      'A list equals its text or any of its entries. Unknown matches nothing but `==na`. Nothing is evaluated.',
    ]),
    "Examples: `--where 'op==conv2d && sil>10000'`, `--where 'layer~encoder, tc==0'`, `--where 'dir==bprop || flops==na'`.",
  );
