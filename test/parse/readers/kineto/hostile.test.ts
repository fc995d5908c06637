import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { openInput } from '../../../../src/parse/source.js';
import { UserError } from '../../../../src/record/errors.js';
import type { EndRecord, ProfileLine, ProfileRecord } from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { recordsOf } from '../../../support/profile-records.js';
import type { HostileTrace } from '../hostile-events.js';
import { HOSTILE_TRACES } from '../hostile-traces.js';

/** Records, or the one line that refuses the input. */
async function tried({ text }: HostileTrace): Promise<ProfileLine[] | string> {
  const path = freshPath('.json');
  writeFileSync(path, text);
  try {
    const source = await openInput(path);
    try {
      return recordsOf(source.path);
    } finally {
      source.dispose();
    }
  } catch (error) {
    if (error instanceof UserError) return error.line;
    throw error;
  }
}

describe('Kineto: traces with something wrong in them', () => {
  for (const trace of HOSTILE_TRACES) {
    it(trace.title, async () => {
      const answer = await tried(trace);
      if (typeof answer === 'string') {
        expect(trace.expect, answer).to.equal('error');
        expect(answer).to.match(/^[^\n]+$/);
        return;
      }
      expect(trace.expect).to.not.equal('error');
      const found = answer.filter((record) => record.type === 'kernel');
      expect(found.map(({ name }) => name)).to.deep.equal(trace.kernels);
      if (trace.durations !== undefined) expect(found.map(({ dur }) => dur)).to.deep.equal(trace.durations);
      // Kernels come in order, with the numbers that the line says.
      expect(found.map(({ id }) => id)).to.deep.equal(found.map((_, i) => i + 1));
      const starts = found.map(({ start }) => start);
      expect(starts).to.deep.equal([...starts].sort((a, b) => a - b));
      for (const record of answer) expect(JSON.stringify(record)).to.not.match(/:(?:NaN|-?Infinity)/);
      const { diagnostics } = answer.at(-1) as EndRecord;
      if (trace.expect === 'diagnostic') expect(Object.keys(diagnostics)).to.not.deep.equal([]);
    });
  }

  const one = async (title: string): Promise<readonly ProfileLine[]> => {
    const trace = HOSTILE_TRACES.find((candidate) => candidate.title === title);
    expect(trace, title).to.not.equal(undefined);
    const answer = await tried(trace as HostileTrace);
    return typeof answer === 'string' ? [] : answer;
  };

  it('of args that occur twice one counts as a whole', async () => {
    const odd = (await one('args twice')).find((record) => record.type === 'kernel' && record.name === 'odd');
    expect(odd).to.deep.include({ device: 0, stream: 7 });
  });

  it('the Unix time of a trace is null where its base is not recorded', async () => {
    const [header] = await one('a header of other types');
    expect(header).to.deep.include({ rank: null, startUnixNs: null });
    const [behind] = await one('header behind the events');
    expect((behind as ProfileRecord).startUnixNs).to.equal('1751410836000100000');
  });

  it('ids that a double cannot hold lead to their own launch', async () => {
    const odd = (await one('ids above 2^53')).find((record) => record.type === 'kernel' && record.name === 'odd');
    expect(odd).to.deep.include({ corr: null });
    expect(odd).to.have.nested.property('launch.api', 'cudaLaunchKernel');
  });
});
