import { expect } from 'chai';
import type { Column } from '../../src/table/column.js';
import { requireFormat } from '../../src/write/formats.js';
import { code, escapeMarkdown } from '../../src/write/markdown.js';
import { tableText } from '../../src/write/columns.js';

type Row = readonly [name: string, count: number | null];

const shape = { width: 0, doc: '' };
const NAME: Column<Row> = { ...shape, key: 'name', header: 'Name', type: 'str', value: ([name]) => name };
const COUNT: Column<Row> = { ...shape, key: 'count', header: 'Count', type: 'int', value: ([, count]) => count };

const written = (columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  [...tableText(requireFormat('markdown'), { columns: columns, rows })].join('');

describe('markdown', () => {
  it('has numbers plain and to the right, names as code, unknown as na', () => {
    const rows: Row[] = [
      ['gemm', 3],
      ['', null],
    ];
    expect(written([NAME, COUNT], rows)).to.equal('| Name | Count |\n| --- | ---: |\n| `gemm` | 3 |\n|  | na |\n');
  });

  it('keeps a name with a pipe, a line end or a backtick in its cell', () => {
    const lines = written([NAME], [['a|b\nc`d\\', null]]).split('\n');
    expect(lines.slice(2)).to.deep.equal(['| <code>a&#124;b&#92;u000ac&#96;d&#92;</code> |', '']);
  });

  it("sets the program's own words plain or bold", () => {
    const own = { ...NAME, vocabulary: true };
    expect(written([own], [['slower', null]])).to.include('\n| slower |\n');
    expect(written([{ ...own, emphasis: () => true }], [['slower', null]])).to.include('\n| **slower** |\n');
  });

  it('has no markup, link or mention from a text', () => {
    expect(code('  __init__ ')).to.equal('`__init__`');
    expect(escapeMarkdown('<b> [x](y) @who https://a www.b 1.5')).to.equal(
      '&#60;b&#62; &#91;x&#93;(y) &#64;who https&#58;//a www&#46;b 1.5',
    );
  });
});
