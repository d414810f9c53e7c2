/** The numbers by which a call says how it ended. */

export const OK = 0;
export const TRUNCATED = 1;
export const TOO_LONG = 2;
export const BAD_BLOCK_TYPE = 3;
export const BAD_STORED_LENGTH = 4;
export const BAD_CODE_COUNT = 5;
export const BAD_CODE_LENGTHS = 6;
export const BAD_SYMBOL = 7;
export const BAD_DISTANCE = 8;
export const NO_MEMORY = 9;
/** Of a part: the input, or the room for the output, is used up before the stream ends. */
export const MORE_INPUT = 10;
export const MORE_ROOM = 11;
