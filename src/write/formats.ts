/** Table formats: help, docs and completion come from this list. A new format is one file and one entry. */
import { requireNamed } from '../record/names.js';
import { csv } from './csv.js';
import { json } from './json.js';
import { markdown } from './markdown.js';
import { space } from './space.js';
import { table } from './framed-table.js';
import { columns } from './columns.js';
import type { Format } from './format.js';
import { parquet } from './parquet/parquet.js';

/** All output formats of tables, in the order of the help. */
export const FORMATS: readonly Format[] = [columns, csv, space, json, table, markdown, parquet];

/**
 * The output format with an id.
 * @throws UsageError naming the nearest format
 */
export const requireFormat = (id: string): Format => requireNamed('format', id, FORMATS, (format) => format.id);

/** The format with its library loaded, ready to be opened. */
export const loadFormat = async (format: Format): Promise<Format> => (await format.load?.()) ?? format;
