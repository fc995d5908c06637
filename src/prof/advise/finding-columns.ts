/** Columns of `dprof advise`: a row a finding. */
import { column, int, real, str } from '../../table/column-kinds.js';
import type { Column } from '../../table/column.js';
import type { Finding } from './finding.js';

export interface FindingRow {
  readonly finding: Finding;
  /** Of the time of its device, as a fraction of 1. */
  readonly share: number;
}

export const FINDING_COLUMNS: readonly Column<FindingRow>[] = [
  column('profile', 'profile', int(7), 'number of the input, from 0', ({ finding }) => finding.profile),
  column('device', 'device', int(6), 'device; unknown for all together', ({ finding }) => finding.device),
  column('rule', 'rule', str(20), 'name of the rule', ({ finding }) => finding.rule, { vocabulary: true }),
  column(
    'share',
    'share_percent',
    real(13, 2, '%'),
    "stake as a share of the device's time",
    ({ share }) => 100 * share,
  ),
  column(
    'gain',
    'gain_ns',
    real(14, 0, 'ns'),
    'time that may be gained; unknown where it cannot be computed',
    ({ finding }) => finding.gain?.ns ?? null,
  ),
  column('stake', 'stake_ns', real(14, 0, 'ns'), 'time that the finding is about', ({ finding }) => finding.stake),
  column('count', 'count', int(8), 'activities that the finding is about', ({ finding }) => finding.count),
  column('what', 'what', str(0), 'what was found, with its figures', ({ finding: { what, details } }) =>
    details === undefined ? what : `${what}; ${details}`,
  ),
  column('action', 'action', str(0), 'what to change', ({ finding }) => finding.action),
  column('kernels', 'kernels', str(12), 'longest kernels, PROFILE:IDX', ({ finding }) => finding.kernels, {
    list: 'str',
  }),
  column('see', 'see', str(0), 'command that shows more', ({ finding }) => finding.see),
];
