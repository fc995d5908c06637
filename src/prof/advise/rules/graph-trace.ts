/** Launched work that the profiler lost: the rest of the advice does not see it. */
import type { ProfileRecord } from '../../../record/record.js';
import { captureOption } from '../../work/capture-options.js';
import { many, time } from '../wording.js';
import type { Rule, RuleAnswer } from '../rule.js';

/** @param api the call that launched; null where it is not known, as of graphs */
function graphsText(api: string | null, profile: ProfileRecord | null): string {
  if (api !== null && !/graph/i.test(api)) return '';
  const nodes = captureOption(profile, 'nodes');
  return nodes === null ? '; or without graphs' : `; graphs node by node (${nodes}), or without graphs`;
}

export const graphTrace: Rule = {
  name: 'graph-trace',
  doc: 'launches of kernels and graphs whose work is not in the profile: how to profile so that it is',
  watch: () => {
    /** Profiles with nodes of graphs. */
    const traced = new Set<number>();
    return {
      take: (record) => {
        if (record.type === 'kernel' && record.graph !== undefined) traced.add(record.profile);
      },
      end: ({ missing, profiles }): RuleAnswer => ({
        found: missing.all
          .filter(({ of }) => of.launches > 0)
          .map(({ of, ...place }) => ({
            ...place,
            what: `the work of ${many(of.launches, 'launch')}${of.api === null ? '' : ` (${of.api})`} is not in the profile: in ${time(of.time)} the device may have worked, or not`,
            action: `profile fewer steps, since buffers of the profiler may have been full${graphsText(of.api, traced.has(place.profile) ? null : (profiles.get(place.profile) ?? null))}`,
            stake: of.time,
            gain: null,
            kernels: [],
            count: of.launches,
            evidence: { launches: of.launches, missingNs: of.time },
            see: 'dprof summary FILE',
          })),
      }),
    };
  },
};
