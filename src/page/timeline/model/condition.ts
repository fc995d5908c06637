/** Conditions in the language of `dprof --where` as queries of a search: `op==linear && sil>10us`. */
import { elementAt } from '../../../containers/element.js';
import { parseFilter } from '../../../prof/query/filter.js';
import { UserError } from '../../../record/errors.js';
import { requireColumnOf } from '../../../table/column-lookup.js';
import type { CellValue, Column } from '../../../table/column.js';
import { kindOf, laneOf, textOf, type TextColumn, type TimelineEvents } from '../events/events.js';
import { parseAmount } from './query.js';

/** Signs without which a query is no condition. */
const OPERATOR = /[=!]=|[<>~]/;

/** A quoted text, or a number with a unit after an operator: '>10us'. */
const QUOTED_OR_AMOUNT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|([=!<>]=|[<>])(\s*)(\d[\w.µ]*)/g;

/** Whether events match a condition; null where the query is none, and is to be read as words. */
export function conditionOf(events: TimelineEvents, query: string): ((event: number) => boolean) | null {
  if (!OPERATOR.test(query)) return null;
  const columns = columnsOf(events);
  try {
    return parseFilter(withoutUnits(query), (key) => requireColumnOf(columns, key), 'search');
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

const withoutUnits = (query: string): string =>
  query.replace(QUOTED_OR_AMOUNT, (found: string, sign?: string, blanks?: string, amount?: string) => {
    if (sign === undefined || blanks === undefined || amount === undefined) return found;
    const value = parseAmount(amount);
    return value === null ? found : `${sign}${blanks}${value}`;
  });

/** Whether tensor cores were used, as the page shows it and as the column `tc` of `dprof` has it. */
const TC_VALUES: Readonly<Record<string, CellValue>> = {
  yes: ['yes', 1],
  no: ['no', 0],
  'not applicable': ['not applicable', '-'],
  undetermined: ['undetermined', '?'],
};

/** Fields of events by index, under the keys of word queries and, where they differ, of the columns of `dprof`. */
function columnsOf(events: TimelineEvents): readonly Column<number>[] {
  const shape = { width: 0, doc: '' };
  const text = (key: string, value: (event: number) => CellValue): Column<number> => {
    return { ...shape, key, header: key, type: 'str', value };
  };
  const ofText = (key: string, column: TextColumn): Column<number> =>
    text(key, (event) => textOf(events, column, event));
  const number = (key: string, numbers: Float64Array, least = -Infinity, zero = 0): Column<number> => {
    const value = (event: number): CellValue => {
      const found = zero + elementAt(numbers, event);
      return found < least ? null : found;
    };
    return { ...shape, key, header: key, type: 'real', value };
  };
  return [
    ofText('name', 'name'),
    ofText('kernel', 'name'),
    ofText('op', 'op'),
    { ...text('layer', (event) => textOf(events, 'layer', event)?.split('/') ?? null), separator: '/' },
    ofText('dtype', 'dtype'),
    ofText('operands', 'operands'),
    ofText('queue', 'queue'),
    text('tc', (event) => {
      const use = textOf(events, 'tc', event);
      return use === null ? null : (TC_VALUES[use] ?? use);
    }),
    text('kind', (event) => kindOf(events, event)),
    text('lane', (event) => laneOf(events, event)?.name ?? null),
    text('group', (event) => laneOf(events, event)?.group ?? null),
    number('dur', events.dur),
    number('sil', events.dur),
    number('start', events.start, -Infinity, events.origin),
    number('flops', events.flops, 0),
    number('bytes', events.bytes, 0),
    number('id', events.id, 1),
    number('pc', events.pc, 0),
  ];
}
