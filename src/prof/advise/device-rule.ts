/** Rules that look at kernels one by one and say something of each device. */
import type { Annotated } from '../annotate.js';
import { ByDevice, type Place } from './by-device.js';
import type { Found } from './finding.js';
import type { Rule, RuleFacts } from './rule.js';

interface DeviceRule<Of> extends Pick<Rule, 'name' | 'doc'> {
  /** Why the rule could not look, where no kernel was one to look at. */
  readonly why: string;
  readonly start: () => Of;
  /** Looks at a kernel; returns whether it was one to look at. */
  readonly row: (row: Annotated, devices: ByDevice<Of>) => boolean;
  readonly findings: (of: Of, facts: RuleFacts, place: Place) => readonly Omit<Found, keyof Place>[];
}

export const deviceRule = <Of>({ name, doc, why, start, row: look, findings }: DeviceRule<Of>): Rule => ({
  name,
  doc,
  watch: () => {
    const devices = new ByDevice(start);
    let looked = false;
    return {
      row: (row) => {
        if (look(row, devices)) looked = true;
      },
      end: (facts) => {
        const found = devices.all.flatMap(({ of, ...place }) =>
          findings(of, facts, place).map((finding) => ({ ...place, ...finding })),
        );
        return looked ? { found } : { found, why };
      },
    };
  },
});
