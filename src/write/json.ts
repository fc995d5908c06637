/** One JSON object a row and line: column keys, raw values, null for unknown. For jq and for programs. */
import { jsonOf } from '../record/control-characters.js';
import { rowObject } from '../table/table.js';
import type { Format } from './format.js';

export const json: Format = {
  id: 'json',
  title: 'one JSON object a line: column keys, raw values, null for unknown',
  open({ columns }) {
    return {
      head: () => '',
      pack: (row) => `${jsonOf(rowObject(columns, row))}\n`,
      rows: (packed) => packed.join(''),
      end: () => [],
    };
  },
};
