/** Columns of `dprof advise`: a row a finding. */
import type { Column } from '../../table/column.js';
import type { Finding } from './finding.js';

export interface FindingRow {
  readonly finding: Finding;
  /** Of the time of its device, as a fraction of 1. */
  readonly share: number;
}

export const FINDING_COLUMNS: readonly Column<FindingRow>[] = [
  {
    ...{ key: 'profile', header: 'profile', type: 'int', width: 7, doc: 'number of the input, from 0' },
    value: ({ finding }) => finding.profile,
  },
  {
    ...{ key: 'device', header: 'device', type: 'int', width: 6, doc: 'device; unknown for all together' },
    value: ({ finding }) => finding.device,
  },
  {
    ...{ key: 'rule', header: 'rule', type: 'str', width: 20, doc: 'name of the rule', vocabulary: true },
    value: ({ finding }) => finding.rule,
  },
  {
    ...{ key: 'share', header: 'share_percent', type: 'real', unit: '%', digits: 2, width: 13 },
    doc: "stake as a share of the device's time",
    value: ({ share }) => 100 * share,
  },
  {
    ...{ key: 'gain', header: 'gain_ns', type: 'real', unit: 'ns', digits: 0, width: 14 },
    doc: 'time that may be gained; unknown where it cannot be computed',
    value: ({ finding }) => finding.gain?.ns ?? null,
  },
  {
    ...{ key: 'stake', header: 'stake_ns', type: 'real', unit: 'ns', digits: 0, width: 14 },
    doc: 'time that the finding is about',
    value: ({ finding }) => finding.stake,
  },
  {
    ...{ key: 'count', header: 'count', type: 'int', width: 8, doc: 'activities that the finding is about' },
    value: ({ finding }) => finding.count,
  },
  {
    ...{ key: 'what', header: 'what', type: 'str', width: 0, doc: 'what was found, with its figures' },
    value: ({ finding }) => finding.what,
  },
  {
    ...{ key: 'action', header: 'action', type: 'str', width: 0, doc: 'what to change' },
    value: ({ finding }) => finding.action,
  },
  {
    ...{ key: 'kernels', header: 'kernels', type: 'str', width: 12, doc: 'longest kernels, PROFILE:IDX' },
    value: ({ finding }) => finding.kernels,
  },
  {
    ...{ key: 'see', header: 'see', type: 'str', width: 0, doc: 'command that shows more' },
    value: ({ finding }) => finding.see,
  },
];
