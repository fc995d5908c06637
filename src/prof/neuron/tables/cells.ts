/** Cells of the vendor tool's tables: a row is made of a record by a list of fields. */
import { jsonOf } from '../../../record/control-characters.js';
import type { FieldName } from '../../../record/neuron/tool-fields.js';

/** Undefined where a record lacks it: the row then has no such field. */
export type ToolCell = number | string | boolean | readonly unknown[] | RawCell | undefined;

/** A number of more digits than a double has. */
export class RawCell {
  constructor(readonly json: string) {}
}

/** ToolFields of a table, and how each is made of a record and its surroundings. */
export type ToolFields<Source, TablePlace> = readonly (readonly [
  key: string,
  of: (source: Source, place: TablePlace) => ToolCell,
])[];

/** The row of a record, as JSON. */
export function rowOf<Source, TablePlace>(
  fields: ToolFields<Source, TablePlace>,
  source: Source,
  place: TablePlace,
): string {
  const members: string[] = [];
  for (const [key, of] of fields) {
    const cell = of(source, place);
    if (cell !== undefined) members.push(`${keyOf(key)}:${jsonOfCell(cell)}`);
  }
  return `{${members.join(',')}}`;
}

/** Most are words, and need no escapes. */
const keyOf = (key: string): string => (/^\w+$/.test(key) ? `"${key}"` : jsonOf(key));

function jsonOfCell(cell: Exclude<ToolCell, undefined>): string {
  if (cell instanceof RawCell) return cell.json;
  return typeof cell === 'number' && Number.isFinite(cell) ? String(cell) : jsonOf(cell);
}

/** An id of the tool's, which is beyond 2^53: its digits are written as they are. Ours are texts. */
export function idOf(id: number | string | undefined): ToolCell {
  return id === undefined || !/^(?:0|[1-9]\d{0,19})$/.test(String(id)) ? id : new RawCell(String(id));
}

type Values = Readonly<Record<string, number | string>> | undefined;

/** ToolFields whose values a record has under names of its own. */
export const named = <Source, TablePlace>(
  names: readonly FieldName[],
  of: (source: Source) => Values,
): ToolFields<Source, TablePlace> => names.map(([key, name]) => [key, (source) => of(source)?.[name]]);

/** The same, with texts: '' where the record has none, as the tool writes them. */
export const texts = <Source, TablePlace>(
  names: readonly FieldName[],
  of: (source: Source) => Values,
  missing = '',
): ToolFields<Source, TablePlace> =>
  names.map(([key, name]) => [key, (source) => String(of(source)?.[name] ?? missing)]);

/** The shortest decimal number that is the same in single precision, in which the tool holds rates and shares. */
export function single(value: number): number {
  const held = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(held.toPrecision(digits));
    if (Math.fround(short) === held) return short;
  }
  return Number(held.toPrecision(9));
}
