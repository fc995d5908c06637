import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { accountOf, isWhole, type Account } from '../../bench/account/account.js';
import { accountedProfiles } from '../../bench/account/accounted-profiles.js';
import { freshPath } from '../support/fresh-path.js';
import { any, kernel, launch } from '../support/kineto-trace.js';
import { itWithProcess } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

const account = (lines: Account['lines'], unknown: readonly string[] = []): Account => ({
  format: 'kineto',
  lines,
  others: 0,
  unknown,
});

describe('account of what goes in and what comes out', () => {
  it('is whole where records and what is counted are as many as the events', () => {
    const line = { what: 'kernel', events: 5, records: 3, counted: 2 };
    expect(isWhole(account([line]))).to.equal(true);
    expect(isWhole(account([{ ...line, events: 6 }]))).to.equal(false);
    expect(isWhole(account([{ ...line, records: 4 }]))).to.equal(false);
    expect(isWhole(account([line], ['new_kind: 1']))).to.equal(false);
  });

  itWithProcess('of a trace counts by category', () => {
    const path = freshPath('json');
    const events = [launch(1, 0), kernel('k', 1, 5), kernel('k', 1, 5), any('hpu_op', 'x', 1, 2, {})];
    writeFileSync(path, `{"traceEvents": [${events.join(',\n')}]}`);
    const found = accountOf(path);
    expect(found?.lines).to.deep.equal([
      { what: 'range', events: 1, records: 1, counted: 0 },
      { what: 'kernel, copy, set, sync', events: 2, records: 1, counted: 1 },
      { what: 'hpu_op', events: 1, records: 0, counted: 1 },
    ]);
  });

  const samples = accountedProfiles(ROOT).filter((path) => path.includes('/samples/'));
  it('has the samples of every format', () => expect(samples).to.have.length(20));
  for (const path of samples)
    itWithProcess(`of ${path.replace(/.*\/samples\//, '')} is whole`, () => {
      const found = accountOf(path);
      expect(found).not.to.equal(null);
      expect(found?.unknown).to.deep.equal([]);
      expect(found?.lines.filter(({ events, records, counted }) => events !== records + counted)).to.deep.equal([]);
    });
});
