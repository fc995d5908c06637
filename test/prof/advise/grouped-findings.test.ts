/** Findings of one rule about several devices as one: what is said of all of them is true of all of them. */
import { expect } from 'chai';
import fc from 'fast-check';
import { time } from '../../../src/prof/advise/wording.js';
import type { Finding } from '../../../src/prof/advise/finding.js';
import { groupedFindings } from '../../../src/prof/advise/grouped-findings.js';
import { adviserOf } from '../../support/advice.js';
import { openedRecordsOf } from '../../support/profile-records.js';
import { propertyRuns } from '../../support/property-runs.js';
import { itShared } from '../../support/shared.js';

const sumOf = (all: readonly Finding[], of: (one: Finding) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0);

/** What must be true of groups, whatever the findings. */
function checkGroups(findings: readonly Finding[], shareOf: (finding: Finding) => number): void {
  const groups = groupedFindings(findings, shareOf);
  for (const { finding, what, details, devices, shares, stake, count, gain } of groups) {
    const { rule, profile, see } = finding;
    const own = findings.filter((one) => one.rule === rule && one.profile === profile && one.see === see);
    expect(devices).to.deep.equal(own.map(({ device }) => device).sort((a, b) => Number(a) - Number(b)));
    expect([stake, count]).to.deep.equal([sumOf(own, (one) => one.stake), sumOf(own, (one) => one.count)]);
    expect(shares).to.deep.equal([Math.min(...own.map(shareOf)), Math.max(...own.map(shareOf))]);
    const gains = own.map((one) => one.gain?.ns ?? null);
    const isKnown = !gains.includes(null);
    expect(gain?.sum ?? null).to.equal(isKnown ? gains.reduce((sum: number, ns) => sum + Number(ns), 0) : null);
    // What it saves is compared with the span of a device, so it is never the sum.
    expect(gain?.ns ?? null).to.equal(isKnown ? Math.max(...gains.map(Number)) : null);
    expect(finding.stake).to.equal(Math.max(...own.map((one) => one.stake)));
    // What is of one device says of which.
    const on = own.length === 1 ? '' : `on device ${finding.device ?? ''}: `;
    expect(what).to.equal(
      own.length === 1 ? finding.what : `${time(stake)} summed over ${own.length} devices, most ${on}${finding.what}`,
    );
    expect(details).to.equal(finding.details === undefined ? '' : `${on}${finding.details}`);
  }
  expect(groups.reduce((sum, { stake }) => sum + stake, 0)).to.equal(sumOf(findings, ({ stake }) => stake));
  const first = groups.map(({ finding: { rule, profile, see } }) =>
    findings.findIndex((one) => one.rule === rule && one.profile === profile && one.see === see),
  );
  expect(first).to.deep.equal(first.toSorted((a, b) => a - b));
}

const finding = fc.record({
  rule: fc.constantFrom('copies', 'launch-gaps'),
  profile: fc.constantFrom(0, 1),
  device: fc.nat(5),
  details: fc.constantFrom(undefined, 'more'),
  stake: fc.nat(1_000_000),
  gain: fc.option(fc.nat(1_000_000)),
  count: fc.nat(100),
});

/** One of each rule and device, most at stake first. */
const lists = fc
  .uniqueArray(finding, { selector: ({ rule, profile, device }) => `${rule} ${profile} ${device}` })
  .map((all) =>
    all
      .map(({ gain, details, ...one }): Finding => ({
        ...{
          ...one,
          about: 'program' as const,
          what: `idle ${one.stake}`,
          action: 'change it',
          kernels: [],
          evidence: {},
          see: one.rule,
        },
        ...(details === undefined ? undefined : { details }),
        gain: gain === null ? null : { ns: gain, how: 'all of it', isBound: true },
      }))
      .sort((a, b) => b.stake - a.stake),
  );

/** The same of several ranks. */
function checkRanks(findings: readonly Finding[]): void {
  const groups = groupedFindings(findings, () => 0, {
    nameOf: ({ profile, device }) => `rank ${profile}, device ${device ?? ''}`,
    profileWord: 'rank',
  });
  for (const { finding, profiles, stake, what, gain } of groups) {
    const own = findings.filter(({ rule }) => rule === finding.rule);
    expect(profiles).to.deep.equal([...new Set(own.map(({ profile }) => profile))].sort((a, b) => a - b));
    expect(stake).to.equal(sumOf(own, (one) => one.stake));
    if (own.length === 1) continue;
    const ranks = `${profiles.length} rank${profiles.length === 1 ? '' : 's'}`;
    const places = profiles.length === own.length ? ranks : `${own.length} devices of ${ranks}`;
    const on = `rank ${finding.profile}, device ${finding.device ?? ''}`;
    expect(what).to.equal(`${time(stake)} summed over ${places}, most on ${on}: ${finding.what}`);
    if (gain !== null) expect(gain.on).to.match(/^rank \d, device \d$/);
  }
  expect(groups).to.have.length(new Set(findings.map(({ rule }) => rule)).size);
}

describe('findings of several devices as one', () => {
  it('have the sums of all, and say of which device the other figures are', () => {
    fc.assert(
      fc.property(lists, (findings) => {
        checkGroups(findings, ({ stake }) => stake / 1_000_000);
        checkRanks(findings);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('are apart where several are about one device: each is about other work, with its own advice', () => {
    const findingOf = (device: number, action: string, ns: number): Finding => ({
      ...{ rule: 'below-roof', about: 'program', profile: 0, device, stake: ns, kernels: [], count: 1, evidence: {} },
      ...{ what: `idle ${ns}`, action, see: 'dprof', gain: { ns, how: 'all of it', isBound: true } },
    });
    const findings = [findingOf(0, 'a', 50), findingOf(0, 'b', 40), findingOf(1, 'b', 30), findingOf(0, 'a', 20)];
    const groups = groupedFindings(findings, ({ stake }) => stake / 100);
    expect(
      groups.map(({ what, devices, shares, gain }) => [what, devices, shares, gain?.ns, gain?.sum, gain?.on]),
    ).to.deep.equal([
      ['idle 50', [0], [0.5, 0.5], 50, 50, ''],
      ['70 ns summed over 2 devices, most on device 0: idle 40', [0, 1], [0.3, 0.4], 40, 70, 'device 0'],
      ['idle 20', [0], [0.2, 0.2], 20, 20, ''],
    ]);
  });

  const PROFILES = [
    'xplane/tpu_v6e_4.xplane.pb',
    'nsys/h100_2gpu_orphans.sqlite',
    'nsys/fsdp_2proc.sqlite',
    'nvprof/nccl_8v100.nvvp',
  ];
  for (const name of PROFILES)
    itShared(`add up in ${name}`, [`data/${name}`], async ([path = '']) => {
      const adviser = adviserOf(await openedRecordsOf(path, { ranges: true }));
      checkGroups(adviser.findings, (one) => adviser.shareOf(one));
      const several = groupedFindings(adviser.findings, () => 0).filter(({ devices }) => devices.length > 1);
      expect(several).not.to.deep.equal([]);
      for (const { finding, gain } of several)
        expect(adviser.shareOf({ ...finding, stake: gain?.ns ?? 0 }), finding.rule).to.be.at.most(1);
    });
});
