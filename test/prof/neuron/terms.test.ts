import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { METRIC_TEXTS, textOf } from '../../../src/prof/neuron/metrics/metrics.js';
import { TERMS, termsFor } from '../../../src/prof/neuron/terms.js';
import { itShared } from '../../support/shared.js';

const names = (word: string): string[] => termsFor(word).map(({ term }) => term);

describe('terms of Neuron profiles', () => {
  it('are each there once in their kind, with a meaning', () => {
    const keys = TERMS.map(({ kind, term }) => `${kind} ${term}`);
    expect(new Set(keys).size).to.equal(keys.length);
    expect(TERMS.filter(({ meaning }) => meaning.length < 5)).to.deep.equal([]);
  });

  it('hold every metric, with unit and formula', () => {
    const metrics = TERMS.filter(({ kind }) => kind === 'metric');
    expect(metrics.map(({ term }) => term)).to.deep.equal(METRIC_TEXTS.map(({ name }) => name));
    expect(metrics.every(({ formula }) => formula !== null)).to.equal(true);
  });

  it('are found by name, part, pattern, case of a name, and meaning, in this order', () => {
    expect(names('mfu')).to.deep.equal(['MFU']);
    expect(names('qSync')).to.deep.equal(['qSyncDynamicHW']);
    expect(names('^LD|^ACT_')).to.deep.equal(['ACT_TABLE_LOAD', 'LDWEIGHTS']);
    expect(names('throttle_gpio_3_active_time_nc1_percent')).to.deep.equal([
      'throttle_<kind>_active_time_nc<k>_percent',
    ]);
    expect(names('stationary')).to.deep.equal(['LDWEIGHTS']);
    expect(names('*')).to.deep.equal([]);
    expect(names('no such word')).to.deep.equal([]);
  });

  it('know a metric of throttling by any core and kind', () => {
    expect(textOf('throttle_sw_1_avg_util_limit_nc0_percent')?.unit).to.equal('fraction');
    expect(textOf('throttle_active_nc1_time_ns')?.unit).to.equal('ns');
    expect(textOf('throttle_what_nc1')).to.equal(null);
  });

  itShared(
    "hold every metric of the vendor's summary, in words of our own",
    ['data/neuron/trn2_fused_fp32_s512/fused_exec_2_profile_full.json'],
    ([path = '']) => {
      const file = JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, Record<string, string>[]>>;
      const [summary = {}, [terminology = {}] = []] = [file['summary']?.[0], file['terminology']];
      expect(Object.keys(summary).filter((name) => textOf(name) === null)).to.deep.equal([]);
      // Seven words in a row that are the vendor's would be copied.
      const runs = (text: string): string[] => {
        const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
        return words.map((_, i) => words.slice(i, i + 7).join(' ')).filter((run) => run.split(' ').length === 7);
      };
      const theirs = new Set(Object.values(terminology).flatMap(runs));
      const copied = TERMS.flatMap(({ meaning }) => runs(meaning)).filter((run) => theirs.has(run));
      expect(copied).to.deep.equal([]);
    },
  );
});
