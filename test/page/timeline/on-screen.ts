/** A simple timeline, and where its times are on the screen. */
import type { Page } from 'playwright-core';
import type { Timeline } from '../../../src/prof/html/timeline/timeline-data.js';
import { atRest } from '../../support/page-waits.js';
import { timelineOf, type FixtureEvent } from './fixture.js';

/** Names that try to be more than names. */
export const BREAKING = '</script><img src=x onerror=alert(1)>';

/** Kernels 0..100, 100..200 … of one stream, with launches 50 before each; every other one is a gemm. */
export function simple(): Timeline {
  const events = Array.from({ length: 20 }, (_, i): FixtureEvent[] => [
    { start: i * 100, dur: 40, lane: 0, kind: 'launch', name: i === 3 ? BREAKING : `launch ${i}` },
    {
      start: i * 100 + 50,
      dur: 50,
      lane: 1,
      name: i % 2 === 0 ? 'gemm' : 'add',
      op: i % 2 === 0 ? 'linear' : 'add',
      id: i + 1,
      bytes: 1000,
      launcher: 2 * i,
    },
  ]);
  return timelineOf(events.flat());
}

/** CSS pixels. */
export interface ScreenPlace {
  readonly x: number;
  readonly y: number;
}

/** Drags a selection. */
export async function selectBetween(page: Page, from: ScreenPlace, to: ScreenPlace): Promise<void> {
  await page.keyboard.down('Shift');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  // The span is summed a frame after each move.
  await atRest(page);
}

/** Where a time is on the screen, at the height of a lane's name. */
export async function place(page: Page, time: number, lane: string): Promise<ScreenPlace> {
  const canvas = await page.locator('.tl-canvas').boundingBox();
  const name = await page.locator('.tl-lane', { hasText: lane }).boundingBox();
  const [from = 0, to = 1] = await viewOf(page);
  if (canvas === null || name === null) throw new Error('no timeline');
  return { x: canvas.x + ((time - from) / (to - from)) * canvas.width, y: name.y + 10 };
}

/** The view as the address has it, ns from the timeline's start at 1000; all where it has none. */
export async function viewOf(page: Page): Promise<number[]> {
  // The address follows with a delay.
  await atRest(page);
  const view = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('t.view');
  return view === null ? [-40, 2040] : view.split('_').map((time) => Number(time) - 1000);
}
