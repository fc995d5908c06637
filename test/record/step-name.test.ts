import { expect } from 'chai';
import { readStepName, STEP_NAME_BEGINNINGS } from '../../src/record/serving-step.js';

describe('names of steps', () => {
  const named: [text: string, number: number | null][] = [
    ['ProfilerStep#7', 7],
    ['step 12', 12],
    ['step_0', 0],
    ['iteration3', 3],
    ['iter_4', 4],
    ['train_step: 5', 5],
    ['Iteration', null],
    ['iter', null],
    ['training step', null],
    ['execute_context_1(30)_generation_2(2)', null],
    ['execute_context_0(0_0)_generation_8(8)', null],
    ['execute_45_context_1(sq8192sk8192sqsq67108864sqsk67108864)_generation_0(sq0sk0sqsq0sqsk0)', null],
    ['step[DECODE bs=32]', null],
    ['step[EXTEND bs=1 toks=512]', null],
  ];
  for (const [text, number] of named) {
    it(text, () => {
      expect(readStepName(text)).to.deep.equal({ number });
      expect(STEP_NAME_BEGINNINGS.some((beginning) => text.toLowerCase().startsWith(beginning))).to.equal(true);
    });
  }

  const others = [
    ...['epoch_0', 'step', 'step 12 of 40', 'two-step 3', 'step 1234567890123', 'Optimizer.step#SGD.step'],
  ];
  for (const text of others) it(`not ${text.slice(0, 40)}`, () => expect(readStepName(text)).to.equal(null));
});
