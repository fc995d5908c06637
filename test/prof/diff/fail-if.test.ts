import { expect } from 'chai';
import { Annotated } from '../../../src/prof/annotate.js';
import { parseCondition } from '../../../src/prof/diff/fail-if.js';
import type { Verdict } from '../../../src/prof/diff/verdict.js';
import { UsageError } from '../../../src/record/errors.js';
import { kernel } from '../../support/kernels.js';

const isMet = (text: string, ns: number, percent: number | null): boolean =>
  parseCondition(text).isMet({ comparable: { ns, percent }, verdict: 'same' });
const row = (fields: Parameters<typeof kernel>[0]): Annotated => new Annotated(kernel(fields), null, { kind: 'own' });

describe('--fail-if', () => {
  it('compares with a change', () => {
    expect(isMet('total>+5%', 10, 5.01)).to.equal(true);
    expect(isMet('total>5%', 10, 5)).to.equal(false);
    expect(isMet(' total > -2.5 % ', -1, -2)).to.equal(true);
    expect(isMet('total<-10%', -1, -11)).to.equal(true);
    expect(isMet('total>+2ms', 2_000_001, 0.1)).to.equal(true);
    expect(isMet('total>+2ms', 2_000_000, 90)).to.equal(false);
    for (const [unit, ns] of [
      ['ns', 1],
      ['us', 1e3],
      ['ms', 1e6],
      ['s', 1e9],
    ] as const) {
      // prettier-ignore
      expect(isMet(`total>.5${unit}`, 0.5 * ns, null)).to.equal(false);
      expect(isMet(`total>.5${unit}`, 0.51 * ns, null)).to.equal(true);
    }
  });

  it('takes what BASE did not have for grown beyond any percentage', () => {
    expect(isMet('op:gelu>+500%', 10, null)).to.equal(true);
    expect(isMet('op:gelu>+500%', 0, null)).to.equal(false);
  });

  it('is on a verdict, of kernels or of any row', () => {
    const met = (text: string, verdict: Verdict): boolean =>
      parseCondition(text).isMet({ comparable: { ns: 0, percent: 0 }, verdict });
    expect(met('total=slower', 'slower')).to.equal(true);
    expect(met('any = slower', 'faster')).to.equal(false);
    expect(parseCondition('any=gone')).to.include({ subject: null, isOfAny: true, isOnVerdict: true });
    // What follows the last sign is a change: the name has the other one.
    expect(parseCondition('kernel:a=slower>+5%')).to.include({ isOnVerdict: false });
    expect(parseCondition('kernel:a>b=slower')).to.include({ isOfAny: false, isOnVerdict: true });
  });

  it('names kernels by a column', () => {
    const gemm = row({ short: 'Ampere_SGEMM', op: ['linear'], layer: ['net', 'fc>1'] });
    const matches = (text: string): boolean => {
      const { subject } = parseCondition(text);
      return subject?.matches(subject.column.value(gemm)) ?? false;
    };
    expect(parseCondition('total>1%').subject).to.equal(null);
    expect(matches('kernel~gemm>+10%')).to.equal(true);
    expect(matches('kernel:gemm>+10%')).to.equal(false);
    expect(matches('op:linear>1%')).to.equal(true);
    expect(matches('op : linear > 1%')).to.equal(true);
    // A list equals its text, or an entry; the last sign counts.
    expect(matches('layer:net:fc>1>1%')).to.equal(true);
    expect(matches('layer:fc>1>1%')).to.equal(true);
    expect(matches('layer:fc>1%')).to.equal(false);
    expect(matches('rank:0>1%')).to.equal(false);
  });

  it('says what it cannot read', () => {
    const answers = [
      ['', /expected > or </],
      ['total+5%', /expected > or <.*such as/],
      ['total>5', /'5' is not a number with %, ns, us, ms or s/],
      ['total>>=5%', /'=5%' is not a number/],
      ['total>1e3%', /'1e3%' is not a number/],
      ['any>5%', /'any' is not total/],
      ['total=slow', /expected > or < and an amount, or = and a verdict/],
      ['all>5%', /'all' is not total, COLUMN:NAME or COLUMN~PART/],
      ['op:>5%', /'op:' is not total/],
      ['kernal~gemm>5%', /unknown column 'kernal' \(did you mean kernel\?\)/],
    ] as const;
    for (const [text, answer] of answers) {
      let line = '';
      try {
        parseCondition(text);
      } catch (error) {
        if (error instanceof UsageError) line = error.line;
      }
      expect(line, text).to.match(answer);
    }
  });
});
