import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { METRIC_TEXTS, textOf } from '../../../src/prof/neuron/metrics/metrics.js';
import { TERMS, termsFor } from '../../../src/prof/neuron/terms.js';
import { CAPTURES, realFile } from '../../parse/readers/neuron/tool-json-files.js';
import { itShared } from '../../support/shared.js';

const names = (word: string): string[] => termsFor(word).map(({ term }) => term);

describe('terms of Neuron profiles', () => {
  it('are each there once in their kind, with a meaning', () => {
    const keys = TERMS.map(({ kind, term }) => `${kind} ${term}`);
    expect(new Set(keys).size).to.equal(keys.length);
    expect(TERMS.filter(({ meaning }) => meaning.length < 5)).to.deep.equal([]);
  });

  it('hold the words of all answers once, with unit and denominator', () => {
    const [exposed] = termsFor('exposed communication');
    expect(exposed).to.include({ kind: 'word', unit: 'ns', shareOf: 'span' });
    const words = TERMS.filter(({ kind }) => kind === 'word');
    expect(words.filter(({ term }) => TERMS.filter((one) => one.term === term).length > 1)).to.deep.equal([]);
    // A figure that is a share says of what.
    expect(words.filter(({ unit, shareOf }) => unit === 'fraction' && shareOf === null)).to.deep.equal([]);
    for (const { meaning } of words) expect(meaning).to.match(/^[A-Z0-9].*[.]$/);
  });

  it('hold every metric, with unit and formula', () => {
    const metrics = TERMS.filter(({ kind }) => kind === 'metric');
    expect(metrics.map(({ term }) => term)).to.deep.equal(METRIC_TEXTS.map(({ name }) => name));
    expect(metrics.every(({ formula }) => formula !== null)).to.equal(true);
  });

  it('are found by name, part, pattern, case of a name, and meaning, in this order', () => {
    expect(names('mfu')).to.deep.equal(['MFU', 'mfu']);
    expect(names('qSync')).to.deep.equal(['qSyncDynamicHW']);
    expect(names('^LD|^ACT_')).to.deep.equal(['ACT_TABLE_LOAD', 'LDWEIGHTS']);
    expect(names('throttle_gpio_3_active_time_nc1_percent')).to.deep.equal([
      'throttle_<kind>_active_time_nc<k>_percent',
    ]);
    expect(names('stationary')).to.deep.equal(['LDWEIGHTS']);
    // No regular expression: the term that has it.
    expect(names('*')).to.deep.equal(['<rows>*<columns>']);
    expect(names('no such word')).to.deep.equal([]);
  });

  it('are found by whole words before parts, and columns by their names', () => {
    const found = (word: string): string[] => termsFor(word).map(({ kind, term }) => `${kind} ${term}`);
    // "against" is not "gain".
    expect(found('gain')).to.deep.equal(['column gain']);
    expect(found('unsure')).to.deep.equal(['column unsure']);
    for (const word of ['waited', 'delayed', 'last']) expect(found(word), word).to.include(`column ${word}`);
    expect(found('exposed')).to.include.members(['word exposed communication', 'column exposed']);
    expect(termsFor('gain')[0]?.meaning).to.match(/[(]column of dprof advise[)]$/);
    // In meanings, only whole words count.
    expect(termsFor('tationar')).to.deep.equal([]);
  });

  it('know a metric of throttling by any core and kind', () => {
    expect(textOf('throttle_sw_1_avg_util_limit_nc0_percent')?.unit).to.equal('fraction');
    expect(textOf('throttle_active_nc1_time_ns')?.unit).to.equal('ns');
    expect(textOf('throttle_what_nc1')).to.equal(null);
  });

  it('know a semaphore, a register and part of the array by any number', () => {
    expect(names('S[24]')).to.deep.equal(['S[<n>]']);
    expect(names('$R[130]')).to.deep.equal(['$R[<n>]']);
    expect(names('128*128')).to.deep.equal(['<rows>*<columns>']);
    expect(names('acc_flags')).to.deep.equal(['acc_flags']);
  });

  itShared('say of acc_flags and transpose_mode what holds for all products', CAPTURES, (paths) => {
    let products = 0;
    for (const path of paths) {
      const rows = (realFile(path).tables['instruction'] ?? []).toSorted(
        (a, b) => Number(a['timestamp']) - Number(b['timestamp']),
      );
      const flags = new Map<string, string>();
      const modes = new Map<unknown, string | undefined>();
      for (const { opcode, operands, subgraph, instruction_type: type } of rows) {
        const text = String(operands);
        if (opcode === 'LDWEIGHTS') modes.set(subgraph, /transpose_mode=(\w+)/.exec(text)?.[1]);
        if (opcode !== 'MATMUL') continue;
        const key = `${String(subgraph)} ${/dst=([^[]*)/.exec(text)?.[1]}`;
        flags.set(key, `${flags.get(key) ?? ''}${/acc_flags=(\d+)/.exec(text)?.[1]}`);
        expect(type).to.equal(modes.get(subgraph) === 'ENABLED' ? 'TRANSPOSE' : 'REGULAR');
        products++;
      }
      // One alone, or a first one, any between and a last one.
      for (const sequence of flags.values()) expect(sequence).to.match(/^(?:3|10*2)+$/);
    }
    expect(products).to.equal(608);
  });

  itShared('hold the fields of a summary that are not metrics', CAPTURES.slice(1, 2), ([path = '']) => {
    const [terminology = {}] = realFile(path).tables['terminology'] ?? [];
    const fields = Object.keys(terminology).filter((key) => /^(?:ultraserver|s3)_/.test(key));
    expect(fields.sort()).to.deep.equal(
      TERMS.flatMap(({ kind, term }) => (kind === 'summary field' ? [term] : [])).sort(),
    );
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
