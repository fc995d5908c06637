/**
 * One JSON document: an answer in an envelope. Each row or document of the answer is on its own line, so that
 * `head` and `grep` work on it; docs/guide/json.md explains the keys.
 */
import { jsonOf } from '../record/control-characters.js';

/** Members that are known before anything is read. */
export interface DocumentHead {
  readonly schema: string;
  readonly tool: string;
  readonly command: readonly string[];
}

/** Members that are known once everything is read, in the order in which they are written. */
export interface DocumentTail {
  readonly inputs: readonly object[];
  readonly window: object | null;
  readonly doubts: readonly object[];
  readonly cannot: readonly object[];
  readonly leftOut: object | null;
}

/** `"key":value` */
const member = (key: string, value: unknown): string => `"${key}":${jsonOf(value)}`;

/** A list with one element a line. */
const listText = (key: string, elements: readonly string[]): string =>
  `"${key}":[${elements.length === 0 ? '' : `\n${elements.join(',\n')}\n`}]`;

/**
 * The text before the first row.
 * @param inputs the inputs, when all of them are known; null to write them after the answer
 */
export function headText({ schema, tool, command }: DocumentHead, inputs: readonly object[] | null): string {
  const known = [member('schema', schema), member('tool', tool), member('command', command)].join(',');
  const listed = inputs === null ? '' : `${listText('inputs', inputs.map(jsonOf))},\n`;
  return `{${known},\n${listed}"answer":[`;
}

/**
 * Rows for the list of the answer.
 * @param lines whole lines, each with a JSON value
 * @param isFirst whether no row came before
 */
export const rowsText = (lines: string, isFirst: boolean): string =>
  `${isFirst ? '\n' : ',\n'}${lines.slice(0, -1).replaceAll('\n', ',\n')}`;

/**
 * The text after the last row.
 * @param hasRows whether rows were written
 * @param hasInputs whether the head has listed the inputs
 */
export function tailText(
  { inputs, window, doubts, cannot, leftOut }: DocumentTail,
  hasRows: boolean,
  hasInputs: boolean,
): string {
  const members = [
    ...(hasInputs ? [] : [listText('inputs', inputs.map(jsonOf))]),
    member('window', window),
    listText('doubts', doubts.map(jsonOf)),
    listText('cannot', cannot.map(jsonOf)),
    member('leftOut', leftOut),
  ];
  return `${hasRows ? '\n' : ''}],\n${members.join(',\n')}}\n`;
}
