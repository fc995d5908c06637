/** Packets of a queue and the transfers that they carry out. */
import { expect } from 'chai';
import { TransferQueues, type QueuedTransfer } from '../../../../src/parse/readers/neuron/ntff/queues.js';
import { readProfile } from '../../../../src/parse/profile.js';
import { InstructionDetails } from '../../../../src/record/lines/device-lines.js';
import { itShared } from '../../../support/shared.js';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const details = (label: string): InstructionDetails =>
  new InstructionDetails({ operands: '', labels: { label }, counters: {} });

const transfer = (bytes: number): QueuedTransfer => ({ bytes, moving: details('moving'), raising: details('raising') });

const QUEUE = { name: 'qSyncDynamicHW', number: 2, rings: 2 };

describe('packets of the transfers that engines start', () => {
  it('are those of the next transfer of their queue, on each of its rings', () => {
    const queues = new TransferQueues();
    const [first, second] = [transfer(4096), transfer(512)];
    queues.start(QUEUE, first);
    queues.start(QUEUE, second);
    const place = (engine: number, bytes: number): unknown => queues.placeOf(2, engine, bytes);
    // Half of the bytes on each ring, then the semaphore; one ring may be ahead of the other.
    expect(place(0, 1024)).to.deep.equal({ transfer: first, raisesSemaphore: false });
    expect(place(0, 1024)).to.deep.equal({ transfer: first, raisesSemaphore: false });
    expect(place(0, 4)).to.deep.equal({ transfer: first, raisesSemaphore: true });
    expect(place(0, 256)).to.deep.equal({ transfer: second, raisesSemaphore: false });
    expect(place(1, 2048)).to.deep.equal({ transfer: first, raisesSemaphore: false });
    expect(place(1, 4)).to.deep.equal({ transfer: first, raisesSemaphore: true });
  });

  it('of four bytes raise no semaphore as long as bytes are left', () => {
    const queues = new TransferQueues();
    queues.start(QUEUE, transfer(16));
    const raised = [4, 4, 4].map((bytes) => queues.placeOf(2, 0, bytes)?.raisesSemaphore);
    expect(raised).to.deep.equal([false, false, true]);
  });

  it('are of no known transfer from the first on that does not fit', () => {
    for (const wrong of [2049, 4]) {
      const queues = new TransferQueues();
      queues.start(QUEUE, transfer(4096));
      queues.start(QUEUE, transfer(4096));
      if (wrong === 4) expect(queues.placeOf(2, 0, 2048)).not.to.equal(null);
      if (wrong === 4) expect(queues.placeOf(2, 0, 2048)).to.equal(null);
      else expect(queues.placeOf(2, 0, wrong)).to.equal(null);
      expect(queues.placeOf(2, 1, 2048)).to.equal(null);
    }
  });

  it('of another queue, or before any transfer, are of none', () => {
    const queues = new TransferQueues();
    expect(queues.placeOf(2, 0, 4)).to.equal(null);
    queues.start(QUEUE, transfer(4096));
    expect(queues.placeOf(3, 0, 4)).to.equal(null);
  });

  // Sizes of the tensors by hand: 1024 · 128 elements of two bytes; the weights are identities of 128 · 128.
  const MOVED = [
    'identity_45_sg0000 WEIGHT SB 32768',
    'identity_54_sg0000 WEIGHT SB 65536',
    'k_ref HBM SB 262144',
    'kernel_out SB HBM 262144',
    'q_ref HBM SB 262144',
    'v_ref HBM SB 262144',
  ];

  itShared(
    'have the bytes of each tensor in a real capture',
    ['data/neuron/trn2_fused_bf16_s1024'],
    ([folder = '']) => {
      const trace = readdirSync(folder).find((name) => name.endsWith('.ntff')) ?? '';
      const bytes = new Map<string, number>();
      let unnamed = 0;
      for (const line of readProfile(join(folder, trace), { profile: 0 })) {
        if (line.type !== 'copy' || line.queue === 14) continue;
        const { variable, source, dest, semaphore } = line.labels ?? {};
        const key = `${variable} ${source} ${dest}`;
        if (variable !== undefined) bytes.set(key, (bytes.get(key) ?? 0) + (line.bytes ?? 0));
        else if (semaphore === undefined) unnamed++;
      }
      expect([...bytes].map(([key, sum]) => `${key} ${sum}`).sort()).to.deep.equal(MOVED);
      expect(unnamed).to.equal(0);
    },
  );
});
