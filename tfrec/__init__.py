"""Turn labelled images into TFRecord datasets, and read TFRecords back, without TensorFlow."""
