/** Values that the page holds in elements of their own, which are parsed when they are asked for. */

const isLoading = (): boolean => document.readyState === 'loading';

/** Those behind the program are not there yet while the page is loading. */
const loaded = new Promise<void>((done) => {
  if (isLoading()) document.addEventListener('DOMContentLoaded', () => done());
  else done();
});

/** Of an element that is still being read nothing is behind it. */
const isWhole = (holder: HTMLElement | null): boolean =>
  holder?.nextSibling !== undefined && holder.nextSibling !== null;

/** @throws Error with one line where the page does not hold it, or not all of it */
export async function heldValue(id: string): Promise<unknown> {
  if (isLoading() && !isWhole(document.getElementById(id))) await loaded;
  const holder = document.getElementById(id);
  if (holder === null) throw new Error('the page does not hold it');
  try {
    return JSON.parse(holder.textContent);
  } catch (error) {
    throw new Error('the page is cut off', { cause: error });
  }
}

/** The same of a value that is asked for once: its text may have many megabytes. */
export async function takeValue(id: string): Promise<unknown> {
  const value = await heldValue(id);
  document.getElementById(id)?.remove();
  return value;
}
