package groups;

import org.testng.annotations.Test;

@Test(groups = "slow")
public class GroupedTest {
    public void slow() {}

    @Test(groups = "net")
    public void both() {}
}
