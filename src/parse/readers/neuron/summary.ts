/** Summaries of neuron-profile. Source: its user guide, AWS's profile schema reference, and real summaries. */
import { readFileSync, statSync } from 'node:fs';
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { ProfileLine } from '../../../record/record.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { isSummaryJson, readSummaryJson } from './summary/summary-json.js';
import { summaryRecords } from './summary/summary-records.js';
import { isSummaryText, readSummaryText } from './summary/summary-text.js';

export const neuronSummary: Reader = {
  id: 'neuron-summary',
  title: 'AWS Neuron summary (neuron-profile view --output-format summary-json, summary-text)',
  reads: 'text',
  docs: {
    profiler: 'AWS Neuron',
    input: 'its summaries',
    made: ['`neuron-profile view -n model.neff -s profile.ntff --output-format summary-json` (or `summary-text`)'],
    read: ['Every metric as a sample, of one node or several. What the tool calls percent is a fraction from 0 to 1.'],
  },
  sniff: ({ head }) => isSummary(head.toString('utf8')),
  read: (probe, options) => read(probe, options),
};

/** Size limit in bytes; a node takes about 5 KB. */
const LARGEST = 64 * 1024 * 1024;

const isJson = (text: string): boolean => /^\ufeff?\s*[{[]/.test(text);

const isSummary = (text: string): boolean => (isJson(text) ? isSummaryJson(text) : isSummaryText(wholeLines(text)));

/** The first bytes without their last line, which may be incomplete. */
const wholeLines = (text: string): string => (text.includes('\n') ? text.slice(0, text.lastIndexOf('\n')) : text);

function* read({ path, file }: Probe, options: ReadOptions): Generator<ProfileLine> {
  if (statSync(path).size > LARGEST) throw new UserError('is too large for a summary', { where: file });
  const text = readFileSync(path, 'utf8');
  const diagnostics = new Diagnostics();
  const nodes = (isJson(text) ? readSummaryJson : readSummaryText)(text, file, diagnostics);
  yield* summaryRecords(nodes, neuronSummary.id, options, diagnostics);
}
