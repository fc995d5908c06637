/** Conditions for known values, read again by the filter language. */
import { expect } from 'chai';
import { conditionOf, expressionOf } from '../../../src/prof/query/conditions.js';
import { parseFilter } from '../../../src/prof/query/filter.js';
import { column, int, requireColumnOf, str, type CellValue, type Column } from '../../../src/table/column.js';

type Row = Readonly<Record<string, CellValue>>;
const of = (key: string, more: Partial<Column<Row>> = {}, format = str(0)): Column<Row> =>
  column<Row>(key, key, format, '', (row) => row[key] ?? null, more);

const COLUMNS = [
  of('name'),
  of('count', {}, int(4)),
  of('layer', { list: 'str', separator: ':' }),
  of('params', { list: 'str', suffix: ',' }),
];
const [NAME, COUNT, LAYER, PARAMS] = COLUMNS as [Column<Row>, Column<Row>, Column<Row>, Column<Row>];

describe('the condition for a value', () => {
  it('quotes texts, and compares numbers and unknown values', () => {
    expect(conditionOf(NAME, String.raw`a "b" \c`)).to.equal(String.raw`name=="a \"b\" \\c"`);
    expect(conditionOf(COUNT, 1.5)).to.equal('count==1.5');
    expect(conditionOf(COUNT, null)).to.equal('count==na');
  });

  it('tells a list from a longer one with the same entry', () => {
    expect(conditionOf(LAYER, ['a', 'b'])).to.equal('layer=="a:b"');
    expect(conditionOf(LAYER, ['a'])).to.equal('layer=="a" && layer!~":"');
    expect(conditionOf(PARAMS, ['N=1'])).to.equal('params=="N=1,"');
  });

  it('is null where the language has none', () => {
    expect(conditionOf(NAME, 'na')).to.equal(null);
    expect(conditionOf(LAYER, ['a:b'])).to.equal(null);
    expect(expressionOf([NAME, COUNT], ['na', 1])).to.equal(null);
  });

  it('is null for text that no argument can carry', () => {
    for (const text of ['a\ud800', '\udc00b', 'a\0b']) {
      expect(conditionOf(NAME, text)).to.equal(null);
      expect(conditionOf(LAYER, ['x', text])).to.equal(null);
    }
    expect(conditionOf(NAME, '\ud83d\ude00')).to.equal('name=="\ud83d\ude00"');
  });

  it('selects the rows with the values and no others', () => {
    const rows: Row[] = ["it's", 'a && b', '(x)', 'y"', '\\', '', 'é', 'a,b'].flatMap((name) =>
      [null, 0, -3, 1e21].flatMap((count) =>
        [[], ['a'], ['b'], ['a', 'b']].map((layer) => ({ name, count, layer, params: null })),
      ),
    );
    for (const row of rows) {
      const text = expressionOf([NAME, COUNT, LAYER], [row['name'] ?? null, row['count'] ?? null, row['layer'] ?? null], 'name!=zz'); // prettier-ignore
      const selects = parseFilter<Row>(String(text), (key) => requireColumnOf(COLUMNS, key));
      expect(rows.filter(selects), String(text)).to.deep.equal([row]);
    }
  });
});
