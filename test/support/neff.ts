/** Small NEFFs. */
export * from '../../samples/programs/write-neff.js';
