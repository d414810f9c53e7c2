/** Types of values in Thrift's compact protocol, as the heads of fields and lists have them. */

/** The value is the type. */
export const TRUE = 1;
export const FALSE = 2;
export const BYTE = 3;
export const I16 = 4;
export const I32 = 5;
export const I64 = 6;
export const DOUBLE = 7;
export const BINARY = 8;
export const LIST = 9;
export const SET = 10;
export const MAP = 11;
export const STRUCT = 12;
