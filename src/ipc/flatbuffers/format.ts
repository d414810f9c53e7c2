/** Constants in Arrow's IPC format, from its Message.fbs and Schema.fbs. */

/** Marker that precedes the length of a message, since version 0.15 of the format. */
export const CONTINUATION = 0xffffffff;

/** Values of `MetadataVersion`: V4 since Arrow 0.8, and V5 since 1.0, which changed the layout of unions. */
export const METADATA_VERSION = { V4: 3, V5: 4 } as const;

/** Values of the union `MessageHeader`. */
export const HEADER = { schema: 1, dictionary: 2, batch: 3 } as const;

/** Values of the union `Type`. */
export const TYPE = {
  Null: 1,
  Int: 2,
  Float: 3,
  Binary: 4,
  Utf8: 5,
  Bool: 6,
  Decimal: 7,
  Date: 8,
  Time: 9,
  Timestamp: 10,
  Interval: 11,
  List: 12,
  Struct: 13,
  Union: 14,
  FixedSizeBinary: 15,
  FixedSizeList: 16,
  Map: 17,
  Duration: 18,
  LargeBinary: 19,
  LargeUtf8: 20,
  LargeList: 21,
  RunEndEncoded: 22,
  BinaryView: 23,
  Utf8View: 24,
  ListView: 25,
  LargeListView: 26,
} as const;
